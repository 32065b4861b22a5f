/*
Copyright The Sidecar Node Authors.

SPDX-License-Identifier: Apache-2.0
*/

package job

import (
	batch "k8s.io/api/batch/v1"
	v1 "k8s.io/api/core/v1"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	podutil "k8s.io/kubernetes/pkg/api/v1/pod"
	"k8s.io/kubernetes/pkg/features"
)

// isSidecar returns true if the container of that name in pod.spec.containers is a
// sidecar. Sidecars are restarted whatever happens to the work of the job, so their
// restarts and exit codes say nothing about it.
func isSidecar(pod *v1.Pod, containerName string) bool {
	if !utilfeature.DefaultFeatureGate.Enabled(features.SidecarContainers) {
		return false
	}
	for i := range pod.Spec.Containers {
		if pod.Spec.Containers[i].Name == containerName {
			return podutil.IsSidecarContainer(&pod.Spec.Containers[i])
		}
	}
	return false
}

// statusForExitCodes returns the status of the pod in which the requirement looks for
// exit codes: without the sidecars, unless the requirement names a container. The pod
// is not changed.
func statusForExitCodes(pod *v1.Pod, requirement *batch.PodFailurePolicyOnExitCodesRequirement) *v1.PodStatus {
	if requirement.ContainerName != nil || !utilfeature.DefaultFeatureGate.Enabled(features.SidecarContainers) || !podutil.HasSidecarContainers(&pod.Spec) {
		return &pod.Status
	}
	status := pod.Status
	status.ContainerStatuses = nil
	for _, containerStatus := range pod.Status.ContainerStatuses {
		if !isSidecar(pod, containerStatus.Name) {
			status.ContainerStatuses = append(status.ContainerStatuses, containerStatus)
		}
	}
	return &status
}
