package framework

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// neverPulled is the reason of a container whose image is not on its node and must not
// be pulled.
const neverPulled = "ErrImageNeverPull"

// imagePod runs true from the image on the node, whatever taints the node has.
const imagePod = `
apiVersion: v1
kind: Pod
metadata: {name: %s}
spec:
  nodeName: %s
  restartPolicy: Never
  tolerations: [{operator: Exists}]
  containers:
  - name: it
    image: %s
    imagePullPolicy: Never
    command: ["true"]
`

// RequireImage fails unless every ready node can run the command true from the image
// without pulling it. The remedy says how the image gets there.
func (s *Space) RequireImage(ctx context.Context, image, remedy string) error {
	nodes, err := s.readyNodes(ctx)
	if err != nil {
		return err
	}
	pod := func(i int) string { return fmt.Sprintf("image-%d", i) }
	for i, node := range nodes {
		if err := s.ApplyAsIs(ctx, fmt.Sprintf(imagePod, pod(i), node, image)); err != nil {
			return err
		}
	}
	for i, node := range nodes {
		missing := false
		_, err := s.AwaitPod(ctx, pod(i), s.Config.Intervals.Start.Duration, "node "+node+" to run "+image, func(pod *corev1.Pod) error {
			if c := Container(pod, "it"); c != nil && c.State.Waiting != nil && c.State.Waiting.Reason == neverPulled {
				missing = true
				return nil
			}
			if pod.Status.Phase != corev1.PodSucceeded {
				return fmt.Errorf("the phase is %s", pod.Status.Phase)
			}
			return nil
		})
		if missing {
			err = fmt.Errorf("node %s doesn't have the image %s: %s", node, image, remedy)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// readyNodes returns the names of the nodes that are ready; none is an error.
func (c *Cluster) readyNodes(ctx context.Context) ([]string, error) {
	list, err := c.dynamic.Resource(nodeResource).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	var ready []string
	for _, o := range list.Items {
		var node corev1.Node
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(o.Object, &node); err != nil {
			return nil, err
		}
		for _, c := range node.Status.Conditions {
			if c.Type == corev1.NodeReady && c.Status == corev1.ConditionTrue {
				ready = append(ready, node.Name)
			}
		}
	}
	if len(ready) == 0 {
		return nil, errors.New("no node is ready")
	}
	return ready, nil
}
