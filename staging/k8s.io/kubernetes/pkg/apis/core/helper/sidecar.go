/*
Copyright The Sidecar Node Authors.

SPDX-License-Identifier: Apache-2.0
*/

package helper

import (
	"k8s.io/kubernetes/pkg/apis/core"
)

// IsSidecarContainer returns true if the container is of lifecycle type Sidecar.
// It looks at the field only: whether the type has an effect is up to the
// SidecarContainers feature gate, which callers check.
func IsSidecarContainer(c *core.Container) bool {
	return c != nil && c.Lifecycle != nil && c.Lifecycle.Type != nil && *c.Lifecycle.Type == core.LifecycleTypeSidecar
}

// IsSidecarContainerName returns true if name is that of a container of lifecycle
// type Sidecar in spec.containers. Container statuses refer to containers by name.
func IsSidecarContainerName(spec *core.PodSpec, name string) bool {
	for i := range spec.Containers {
		if spec.Containers[i].Name == name {
			return IsSidecarContainer(&spec.Containers[i])
		}
	}
	return false
}
