/*
Copyright The Sidecar Node Authors.

SPDX-License-Identifier: Apache-2.0
*/

package describe

import (
	corev1 "k8s.io/api/core/v1"
)

// describeLifecycleType shows the lifecycle type of a container that has one.
func describeLifecycleType(container corev1.Container, w PrefixWriter) {
	if container.Lifecycle != nil && container.Lifecycle.Type != nil {
		w.Write(LEVEL_2, "Lifecycle Type:\t%s\n", *container.Lifecycle.Type)
	}
}
