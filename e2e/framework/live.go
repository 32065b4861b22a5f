package framework

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"

	"sidecar-node/images/probe/record"
)

// These read any pod of a cluster, whoever made it. Nothing is changed.

// LivePod reads a pod in whatever namespace.
func (c *Cluster) LivePod(ctx context.Context, namespace, name string) (*unstructured.Unstructured, error) {
	return c.dynamic.Resource(PodResource).Namespace(namespace).Get(ctx, name, metav1.GetOptions{})
}

// PodNames returns the names of the pods of a namespace, sorted.
func (c *Cluster) PodNames(ctx context.Context, namespace string) ([]string, error) {
	list, err := c.dynamic.Resource(PodResource).Namespace(namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	var names []string
	for _, o := range list.Items {
		names = append(names, o.GetName())
	}
	slices.Sort(names)
	return names, nil
}

// LiveEvents reads the events about the pod with that UID.
func (c *Cluster) LiveEvents(ctx context.Context, namespace, uid string) ([]unstructured.Unstructured, error) {
	list, err := c.dynamic.Resource(eventResource).Namespace(namespace).List(ctx, metav1.ListOptions{
		FieldSelector: fields.OneTermEqualSelector("involvedObject.uid", uid).String(),
	})
	if err != nil {
		return nil, fmt.Errorf("the events of namespace %s: %w", namespace, err)
	}
	return list.Items, nil
}

// Log reads at most limit bytes of the log of a container: of its run before this one
// if previous is set.
func (c *Cluster) Log(ctx context.Context, namespace, pod, container string, previous bool, limit int64) ([]byte, error) {
	return c.raw.Get().AbsPath("/api/v1/namespaces", namespace, "pods", pod, "log").
		Param("container", container).
		Param("previous", strconv.FormatBool(previous)).
		Param("limitBytes", strconv.FormatInt(limit, 10)).
		Do(ctx).Raw()
}

// LiveJournal reads what the suite's journal has of a pod, which may be gone. Where
// the readers of journals do not run, it has nothing.
func (c *Cluster) LiveJournal(ctx context.Context, namespace, pod string) ([]record.Record, error) {
	readers, err := c.readers(ctx)
	if err != nil || len(readers) == 0 {
		return nil, err
	}
	s := &Space{Cluster: c, Namespace: namespace, dynamic: c.dynamic}
	tl, err := s.Journal(ctx)
	return tl.Pod(pod).Records(), err
}
