package framework

import (
	"context"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

// RunCronJob makes a Job of that name from the CronJob's template, as kubectl
// create job --from does.
func (s *Space) RunCronJob(ctx context.Context, cronJob, job string) error {
	from, err := s.Get(ctx, schema.GroupVersionResource{Group: "batch", Version: "v1", Resource: "cronjobs"}, cronJob)
	if err != nil {
		return err
	}
	spec, found, err := unstructured.NestedMap(from.Object, "spec", "jobTemplate", "spec")
	if err != nil || !found {
		return fmt.Errorf("cronjob %s has no template: %w", cronJob, err)
	}
	o := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "batch/v1", "kind": "Job",
		"metadata": map[string]any{"name": job},
		"spec":     spec,
	}}
	_, err = s.create(ctx, o, metav1.CreateOptions{})
	return err
}

// RestartDeployment replaces the pods of a Deployment, as kubectl rollout
// restart does.
func (s *Space) RestartDeployment(ctx context.Context, name string) error {
	patch := fmt.Sprintf(`{"spec":{"template":{"metadata":{"annotations":{"kubectl.kubernetes.io/restartedAt":%q}}}}}`, time.Now().Format(time.RFC3339))
	_, err := s.Patch(ctx, schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}, name, types.StrategicMergePatchType, []byte(patch))
	return err
}

// AwaitRollout waits until the Deployment, whose pods have the label app with its
// name, has nothing but ready pods of its newest template, and returns their names.
func (s *Space) AwaitRollout(ctx context.Context, name string, limit time.Duration) ([]string, error) {
	deployments := schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}
	var last error
	replicas := int64(0)
	err := s.poll(ctx, limit, func(ctx context.Context) bool {
		var o *unstructured.Unstructured
		if o, last = s.Get(ctx, deployments, name); last != nil {
			return false
		}
		field := func(path ...string) int64 {
			v, _, _ := unstructured.NestedInt64(o.Object, path...)
			return v
		}
		replicas = field("spec", "replicas")
		last = fmt.Errorf("%v", o.Object["status"])
		return field("status", "observedGeneration") == o.GetGeneration() &&
			field("status", "updatedReplicas") == replicas && field("status", "readyReplicas") == replicas
	}, func() error { return timedOut(limit, "the rollout of deployment "+name, last, nil) })
	if err != nil {
		return nil, err
	}
	return s.AwaitReadyPods(ctx, "app="+name, int(replicas), limit)
}

// CountReplicaSets returns how many ReplicaSets have the label.
func (s *Space) CountReplicaSets(ctx context.Context, label string) (int, error) {
	list, err := s.dynamic.Resource(schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "replicasets"}).
		Namespace(s.Namespace).List(ctx, metav1.ListOptions{LabelSelector: label})
	if err != nil {
		return 0, err
	}
	return len(list.Items), nil
}

// AwaitReadyPods waits until exactly n pods with the label exist, all of them
// ready and none on its way out, and returns their names.
func (s *Space) AwaitReadyPods(ctx context.Context, label string, n int, limit time.Duration) ([]string, error) {
	var names []string
	var last error
	err := s.poll(ctx, limit, func(ctx context.Context) bool {
		pods, err := s.Pods(ctx, label)
		if err != nil {
			last = err
			return false
		}
		names = nil
		for _, p := range pods {
			if p.DeletionTimestamp == nil && podReady(&p) {
				names = append(names, p.Name)
			}
		}
		last = fmt.Errorf("%d of %d pods are ready", len(names), len(pods))
		return len(names) == n && len(pods) == n
	}, func() error { return timedOut(limit, fmt.Sprintf("%d ready pods with label %s", n, label), last, nil) })
	return names, err
}
