/*
Copyright The Sidecar Node Authors.

SPDX-License-Identifier: Apache-2.0
*/

package util

import (
	v1 "k8s.io/api/core/v1"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/kubernetes/pkg/features"
)

// dropDisabledLifecycleType removes lifecycle.type from the containers of the template
// if it is disabled. A Deployment that was stored with the type keeps it then, while a
// new ReplicaSet loses it: without this the ReplicaSet would not be recognized as that
// of the Deployment, and one after the other would be made.
func dropDisabledLifecycleType(template *v1.PodTemplateSpec) {
	if utilfeature.DefaultFeatureGate.Enabled(features.SidecarContainers) {
		return
	}
	for i := range template.Spec.Containers {
		container := &template.Spec.Containers[i]
		if container.Lifecycle == nil || container.Lifecycle.Type == nil {
			continue
		}
		container.Lifecycle.Type = nil
		if *container.Lifecycle == (v1.Lifecycle{}) {
			container.Lifecycle = nil
		}
	}
}
