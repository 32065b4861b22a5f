package framework

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

// EvictPod asks for the eviction of the pod, as kubectl drain does.
func (s *Space) EvictPod(ctx context.Context, name string) error {
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&policyv1.Eviction{
		TypeMeta:   metav1.TypeMeta{APIVersion: "policy/v1", Kind: "Eviction"},
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: s.Namespace},
	})
	if err != nil {
		return err
	}
	_, err = s.dynamic.Resource(PodResource).Namespace(s.Namespace).
		Create(ctx, &unstructured.Unstructured{Object: content}, metav1.CreateOptions{}, "eviction")
	return err
}

// ResizePod sets the CPU request of a container in place.
func (s *Space) ResizePod(ctx context.Context, pod, container, cpu string) error {
	patch := fmt.Sprintf(`{"spec":{"containers":[{"name":%q,"resources":{"requests":{"cpu":%q}}}]}}`, container, cpu)
	_, err := s.dynamic.Resource(PodResource).Namespace(s.Namespace).
		Patch(ctx, pod, types.StrategicMergePatchType, []byte(patch), metav1.PatchOptions{}, "resize")
	return err
}

// AddEphemeralContainer adds an ephemeral container with the probe in it, which keeps
// its journal with the others.
func (s *Space) AddEphemeralContainer(ctx context.Context, pod, name string) error {
	spec := map[string]any{"containers": []any{map[string]any{"name": name}}}
	s.instrument(spec)
	patch, err := json.Marshal(map[string]any{"spec": map[string]any{"ephemeralContainers": spec["containers"]}})
	if err != nil {
		return err
	}
	_, err = s.dynamic.Resource(PodResource).Namespace(s.Namespace).
		Patch(ctx, pod, types.StrategicMergePatchType, patch, metav1.PatchOptions{}, "ephemeralcontainers")
	if err == nil {
		s.made.note("Pod", pod, map[string]any{"ephemeralContainers": spec["containers"]})
	}
	return err
}

// KubeletMetric returns the sum of a metric without labels over the kubelets of all
// nodes.
func (s *Space) KubeletMetric(ctx context.Context, name string) (float64, error) {
	list, err := s.dynamic.Resource(nodeResource).List(ctx, metav1.ListOptions{})
	if err != nil {
		return 0, err
	}
	var sum float64
	for _, node := range list.Items {
		text, err := s.raw.Get().AbsPath("/api/v1/nodes/" + node.GetName() + "/proxy/metrics").Do(ctx).Raw()
		if err != nil {
			return 0, err
		}
		lines := bufio.NewScanner(strings.NewReader(string(text)))
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			value, found := strings.CutPrefix(lines.Text(), name+" ")
			if !found {
				continue
			}
			v, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
			if err != nil {
				return 0, fmt.Errorf("node %s: %s: %w", node.GetName(), lines.Text(), err)
			}
			sum += v
		}
	}
	return sum, nil
}

// OfferResource makes every node offer one piece of an extended resource, and
// WithdrawResource takes it back.
func (s *Space) OfferResource(ctx context.Context, name string) error {
	return s.setResource(ctx, name, `"1"`)
}

// WithdrawResource undoes OfferResource.
func (s *Space) WithdrawResource(ctx context.Context, name string) error {
	return s.setResource(ctx, name, "null")
}

func (s *Space) setResource(ctx context.Context, name, value string) error {
	list, err := s.dynamic.Resource(nodeResource).List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	patch := fmt.Sprintf(`{"status":{"capacity":{%q:%s}}}`, name, value)
	for _, node := range list.Items {
		if _, err := s.Cluster.dynamic.Resource(nodeResource).Patch(ctx, node.GetName(), types.MergePatchType, []byte(patch), metav1.PatchOptions{}, "status"); err != nil {
			return err
		}
	}
	return nil
}

// LowestPriority makes a priority class below the default, named after the space, and
// returns its name and what removes it.
func (s *Space) LowestPriority(ctx context.Context) (name string, remove func(context.Context) error, err error) {
	classes := s.Cluster.dynamic.Resource(schema.GroupVersionResource{Group: "scheduling.k8s.io", Version: "v1", Resource: "priorityclasses"})
	_, err = classes.Create(ctx, &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass",
		"metadata": map[string]any{"name": s.Namespace}, "value": int64(-1000000),
	}}, metav1.CreateOptions{})
	return s.Namespace, func(ctx context.Context) error {
		return s.Insist(ctx, func(ctx context.Context) error {
			return ignoreGone(classes.Delete(ctx, s.Namespace, metav1.DeleteOptions{}))
		})
	}, err
}
