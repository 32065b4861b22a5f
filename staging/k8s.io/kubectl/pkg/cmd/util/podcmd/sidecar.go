/*
Copyright The Sidecar Node Authors.

SPDX-License-Identifier: Apache-2.0
*/

package podcmd

import (
	v1 "k8s.io/api/core/v1"
)

// FirstAppContainerName returns the name of the container that people mean when they
// name none: the first one that is not of lifecycle type Sidecar, wherever an injector
// has put the sidecars. The pod must have a container.
func FirstAppContainerName(pod *v1.Pod) string {
	return firstAppContainer(pod).Name
}

func firstAppContainer(pod *v1.Pod) *v1.Container {
	for i := range pod.Spec.Containers {
		container := &pod.Spec.Containers[i]
		if container.Lifecycle == nil || container.Lifecycle.Type == nil || *container.Lifecycle.Type != v1.LifecycleTypeSidecar {
			return container
		}
	}
	return &pod.Spec.Containers[0]
}
