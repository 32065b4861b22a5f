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
