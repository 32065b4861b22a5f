/*
Copyright The Sidecar Node Authors.

SPDX-License-Identifier: Apache-2.0
*/

package status

import (
	v1 "k8s.io/api/core/v1"
	kubecontainer "k8s.io/kubernetes/pkg/kubelet/container"
)

// isSidecar returns true if the container of that name is a sidecar.
func isSidecar(podSpec *v1.PodSpec, name string) bool {
	for i := range podSpec.Containers {
		if podSpec.Containers[i].Name == name {
			return kubecontainer.IsSidecar(&podSpec.Containers[i])
		}
	}
	return false
}
