/*
Copyright The Sidecar Node Authors.

SPDX-License-Identifier: Apache-2.0
*/

package internalversion

import (
	"slices"

	utilfeature "k8s.io/apiserver/pkg/util/feature"
	api "k8s.io/kubernetes/pkg/apis/core"
	"k8s.io/kubernetes/pkg/apis/core/helper"
	"k8s.io/kubernetes/pkg/features"
)

// sidecarsLast returns the statuses of the pod's containers in the order in which they
// decide the STATUS column, the most important first: app containers before sidecars,
// otherwise as they are. Only the first reasonCount of them decide it: the app
// containers and, until every app container has ended, the sidecars that wait, such as
// in a crash loop. How a sidecar exits never decides it.
func sidecarsLast(pod *api.Pod) (statuses []api.ContainerStatus, reasonCount int) {
	all := pod.Status.ContainerStatuses
	if !utilfeature.DefaultFeatureGate.Enabled(features.SidecarContainers) || !slices.ContainsFunc(pod.Spec.Containers, isSidecar) {
		return all, len(all)
	}

	var apps, waiting, others []api.ContainerStatus
	ended := 0
	for _, status := range all {
		switch {
		case !helper.IsSidecarContainerName(&pod.Spec, status.Name):
			apps = append(apps, status)
			if status.State.Terminated != nil {
				ended++
			}
		case status.State.Waiting != nil:
			waiting = append(waiting, status)
		default:
			others = append(others, status)
		}
	}
	reasonCount = len(apps)
	if ended < len(apps) {
		reasonCount += len(waiting)
	}
	return slices.Concat(apps, waiting, others), reasonCount
}

func isSidecar(container api.Container) bool {
	return helper.IsSidecarContainer(&container)
}
