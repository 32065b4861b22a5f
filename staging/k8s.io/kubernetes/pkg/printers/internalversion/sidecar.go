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
// otherwise as they are. Only the first reasonCount of them decide it. That is all of
// them until every app container has ended, and the app containers from then on: how a
// sidecar ends is no news.
func sidecarsLast(pod *api.Pod) (statuses []api.ContainerStatus, reasonCount int) {
	all := pod.Status.ContainerStatuses
	if !utilfeature.DefaultFeatureGate.Enabled(features.SidecarContainers) || !slices.ContainsFunc(pod.Spec.Containers, isSidecar) {
		return all, len(all)
	}

	var apps, sidecars []api.ContainerStatus
	ended := 0
	for _, status := range all {
		if helper.IsSidecarContainerName(&pod.Spec, status.Name) {
			sidecars = append(sidecars, status)
			continue
		}
		apps = append(apps, status)
		if status.State.Terminated != nil {
			ended++
		}
	}
	reasonCount = len(all)
	if len(apps) > 0 && ended == len(apps) {
		reasonCount = len(apps)
	}
	return append(apps, sidecars...), reasonCount
}

func isSidecar(container api.Container) bool {
	return helper.IsSidecarContainer(&container)
}
