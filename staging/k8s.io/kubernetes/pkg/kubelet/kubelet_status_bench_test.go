/*
Copyright The Sidecar Node Authors.

SPDX-License-Identifier: Apache-2.0
*/

package kubelet

import (
	"context"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/tools/record"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/kubelet/cm"
	kubecontainer "k8s.io/kubernetes/pkg/kubelet/container"
	containertest "k8s.io/kubernetes/pkg/kubelet/container/testing"
	kubepod "k8s.io/kubernetes/pkg/kubelet/pod"
	"k8s.io/kubernetes/pkg/kubelet/prober"
	proberesults "k8s.io/kubernetes/pkg/kubelet/prober/results"
	"k8s.io/kubernetes/pkg/kubelet/status"
	statustest "k8s.io/kubernetes/pkg/kubelet/status/testing"
	kubeletutil "k8s.io/kubernetes/pkg/kubelet/util"
)

// BenchmarkGenerateAPIPodStatus measures what the status of a running pod without
// sidecars costs. It uses nothing that stock Kubernetes lacks, `make bench-kubelet`
// runs it there as well.
func BenchmarkGenerateAPIPodStatus(b *testing.B) {
	ctx := context.Background()
	podManager := kubepod.NewBasicPodManager()
	statusManager := status.NewManager(&fake.Clientset{}, podManager, &statustest.FakePodDeletionSafetyProvider{}, kubeletutil.NewPodStartupLatencyTracker())
	kl := &Kubelet{
		containerManager: cm.NewFakeContainerManager(klog.Background()),
		containerRuntime: &containertest.FakeRuntime{},
		podManager:       podManager,
		probeManager:     prober.NewManager(statusManager, proberesults.NewManager(), proberesults.NewManager(), proberesults.NewManager(), nil, &record.FakeRecorder{}),
		reasonCache:      NewReasonCache(),
		recorder:         record.NewFakeRecorder(20),
		runtimeState:     newRuntimeState(time.Hour),
		statusManager:    statusManager,
	}
	pod := &v1.Pod{
		ObjectMeta: metav1.ObjectMeta{UID: "uid", Name: "pod", Namespace: "ns"},
		Spec:       v1.PodSpec{RestartPolicy: v1.RestartPolicyAlways},
	}
	podStatus := &kubecontainer.PodStatus{ID: pod.UID, Name: pod.Name, Namespace: pod.Namespace}
	for _, name := range []string{"a", "b", "c"} {
		container := v1.Container{Name: name, Image: "image"}
		pod.Spec.Containers = append(pod.Spec.Containers, container)
		podStatus.ContainerStatuses = append(podStatus.ContainerStatuses, &kubecontainer.Status{
			Name: name, Image: "image", State: kubecontainer.ContainerStateRunning, StartedAt: time.Unix(1, 0),
			ID: kubecontainer.ContainerID{Type: "test", ID: name}, Hash: kubecontainer.HashContainer(&container),
		})
	}
	podStatus.ActiveContainerStatuses = podStatus.ContainerStatuses
	podManager.AddPod(pod)
	b.ReportAllocs()
	for b.Loop() {
		kl.generateAPIPodStatus(ctx, pod, podStatus, false)
	}
}
