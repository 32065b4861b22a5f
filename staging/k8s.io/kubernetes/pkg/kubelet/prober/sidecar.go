/*
Copyright The Sidecar Node Authors.

SPDX-License-Identifier: Apache-2.0
*/

package prober

import (
	"context"

	v1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
	kubecontainer "k8s.io/kubernetes/pkg/kubelet/container"
	"k8s.io/kubernetes/pkg/kubelet/prober/results"
	"k8s.io/kubernetes/pkg/kubelet/sidecar"
)

// awaitsStartupProbe returns true if app containers wait for this container, and it
// has not passed its startup probe since this kubelet was started. That an earlier
// kubelet has seen it started, or that its probe worker does not exist yet, does
// not count then: the probe has to run.
func (m *manager) awaitsStartupProbe(logger klog.Logger, pod *v1.Pod, podStatus *v1.PodStatus, containerStatus *v1.ContainerStatus) bool {
	container := kubecontainer.GetContainerSpec(pod, containerStatus.Name)
	if !kubecontainer.IsSidecar(container) || container.StartupProbe == nil {
		return false
	}
	if result, ok := m.startupManager.Get(kubecontainer.ParseContainerID(logger, containerStatus.ContainerID)); ok && result == results.Success {
		return false
	}
	return appContainersWait(podStatus)
}

// appContainersWait returns true if app containers wait for sidecars.
func appContainersWait(podStatus *v1.PodStatus) bool {
	for i := range podStatus.ContainerStatuses {
		if waiting := podStatus.ContainerStatuses[i].State.Waiting; waiting != nil && waiting.Reason == sidecar.ReasonWaitingForSidecars {
			return true
		}
	}
	return false
}

// ProbeSidecars has the sidecars for which app containers wait probed early. It is
// called when the status of the pod has been saved, which is what the probe workers
// look at.
func (m *manager) ProbeSidecars(_ context.Context, pod *v1.Pod, podStatus *v1.PodStatus) {
	if !kubecontainer.HasSidecars(pod) || !appContainersWait(podStatus) {
		return
	}
	for i := range podStatus.ContainerStatuses {
		status := &podStatus.ContainerStatuses[i]
		if status.State.Running == nil {
			continue
		}
		next := startup
		if status.Started != nil && *status.Started {
			next = readiness
		}
		if w, ok := m.getWorker(pod.UID, status.Name, next); ok {
			w.early.begin(status.ContainerID, status.State.Running.StartedAt.Time)
		}
	}
}
