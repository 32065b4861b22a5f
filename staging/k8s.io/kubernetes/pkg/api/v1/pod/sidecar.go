/*
Copyright The Sidecar Node Authors.

SPDX-License-Identifier: Apache-2.0
*/

package pod

import (
	v1 "k8s.io/api/core/v1"
)

// IsSidecarContainer returns true if the container is of lifecycle type Sidecar.
// It looks at the field only: whether the type has an effect is up to the
// SidecarContainers feature gate, which callers check.
func IsSidecarContainer(c *v1.Container) bool {
	return c != nil && c.Lifecycle != nil && c.Lifecycle.Type != nil && *c.Lifecycle.Type == v1.LifecycleTypeSidecar
}

// HasSidecarContainers returns true if any of spec.containers is of lifecycle type
// Sidecar. Like IsSidecarContainer it does not look at the feature gate.
func HasSidecarContainers(spec *v1.PodSpec) bool {
	if spec == nil {
		return false
	}
	for i := range spec.Containers {
		if IsSidecarContainer(&spec.Containers[i]) {
			return true
		}
	}
	return false
}
