/*
Copyright The Sidecar Node Authors.

SPDX-License-Identifier: Apache-2.0
*/

package kuberuntime

import (
	"context"
	"fmt"
	"testing"

	v1 "k8s.io/api/core/v1"
	kubecontainer "k8s.io/kubernetes/pkg/kubelet/container"
)

// BenchmarkComputePodActions measures what a sync of a pod without sidecars costs. It
// uses nothing that stock Kubernetes lacks, `make bench-kubelet` runs it there as well.
func BenchmarkComputePodActions(b *testing.B) {
	ctx := context.Background()
	for _, bench := range []struct {
		name string
		make func() (*v1.Pod, *kubecontainer.PodStatus)
	}{
		{"running", makeBasePodAndStatus},
		{"init", makeBasePodAndStatusWithInitContainers},
		{"native", makeBasePodAndStatusWithRestartableInitContainers},
	} {
		for _, policy := range []v1.RestartPolicy{v1.RestartPolicyAlways, v1.RestartPolicyNever} {
			b.Run(fmt.Sprintf("%s/%s", bench.name, policy), func(b *testing.B) {
				_, _, m, err := createTestRuntimeManager(ctx)
				if err != nil {
					b.Fatal(err)
				}
				pod, status := bench.make()
				pod.Spec.RestartPolicy = policy
				b.ReportAllocs()
				for b.Loop() {
					m.computePodActions(ctx, pod, status, false)
				}
			})
		}
	}
}
