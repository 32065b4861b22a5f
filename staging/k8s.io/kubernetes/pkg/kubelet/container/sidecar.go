/*
Copyright The Sidecar Node Authors.

SPDX-License-Identifier: Apache-2.0
*/

package container

import (
	v1 "k8s.io/api/core/v1"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/klog/v2"
	podutil "k8s.io/kubernetes/pkg/api/v1/pod"
	"k8s.io/kubernetes/pkg/features"
)

// HasSidecars returns true if the kubelet has to treat containers of the pod as
// sidecars: the SidecarContainers feature gate is on and the pod has at least one.
func HasSidecars(pod *v1.Pod) bool {
	return utilfeature.DefaultFeatureGate.Enabled(features.SidecarContainers) && podutil.HasSidecarContainers(&pod.Spec)
}

// IsSidecar returns true if the kubelet has to treat the container as a sidecar.
func IsSidecar(container *v1.Container) bool {
	return podutil.IsSidecarContainer(container) && utilfeature.DefaultFeatureGate.Enabled(features.SidecarContainers)
}

// AppContainersDone returns true if every app container, that is every container
// in spec.containers which is not a sidecar, has exited and will not be restarted.
// From then on no sidecar may be started again either.
func AppContainersDone(logger klog.Logger, pod *v1.Pod, podStatus *PodStatus) bool {
	for i := range pod.Spec.Containers {
		container := &pod.Spec.Containers[i]
		if podutil.IsSidecarContainer(container) {
			continue
		}
		status := podStatus.FindContainerStatusByName(container.Name)
		if status == nil || status.State != ContainerStateExited {
			return false
		}
		if ShouldContainerBeRestarted(logger, container, pod, podStatus) {
			return false
		}
	}
	return true
}

// shouldSidecarBeRestarted is ShouldContainerBeRestarted for a sidecar: it has to run,
// whatever the restart policy of the pod, as long as an app container may still run.
func shouldSidecarBeRestarted(logger klog.Logger, container *v1.Container, pod *v1.Pod, podStatus *PodStatus) bool {
	if status := podStatus.FindContainerStatusByName(container.Name); status != nil && status.State == ContainerStateRunning {
		return false
	}
	return !AppContainersDone(logger, pod, podStatus)
}

// AnyAppContainerCreated returns true if an app container of the pod has been
// created, in the current sandbox or in an earlier one.
func AnyAppContainerCreated(pod *v1.Pod, podStatus *PodStatus) bool {
	for i := range pod.Spec.Containers {
		container := &pod.Spec.Containers[i]
		if !podutil.IsSidecarContainer(container) && podStatus.FindContainerStatusByName(container.Name) != nil {
			return true
		}
	}
	return false
}
