/*
Copyright The Sidecar Node Authors.

SPDX-License-Identifier: Apache-2.0
*/

package qos

import (
	v1 "k8s.io/api/core/v1"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	podutil "k8s.io/kubernetes/pkg/api/v1/pod"
	"k8s.io/kubernetes/pkg/features"
)

// isLifecycleSidecar returns true if the container is of lifecycle type Sidecar and
// the feature gate is on.
func isLifecycleSidecar(container *v1.Container) bool {
	return utilfeature.DefaultFeatureGate.Enabled(features.SidecarContainers) && podutil.IsSidecarContainer(container)
}

// maxAppContainerMemory returns the largest memory request, in bytes, of the app
// containers. A sidecar that is treated as if it requested as much is not killed
// before any of them.
func maxAppContainerMemory(pod *v1.Pod) int64 {
	var memory int64
	for i := range pod.Spec.Containers {
		if container := &pod.Spec.Containers[i]; !podutil.IsSidecarContainer(container) {
			memory = max(memory, getEffectiveContainerMemoryRequest(pod, container))
		}
	}
	return memory
}
