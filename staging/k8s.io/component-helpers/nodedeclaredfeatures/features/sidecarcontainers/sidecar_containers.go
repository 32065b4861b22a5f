/*
Copyright The Sidecar Node Authors.

SPDX-License-Identifier: Apache-2.0
*/

// Package sidecarcontainers is the declared feature of nodes that know containers of
// lifecycle type Sidecar.
package sidecarcontainers

import (
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/version"
	"k8s.io/component-helpers/nodedeclaredfeatures/types"
)

// Ensure the feature struct implements the unified Feature interface.
var _ types.Feature = &sidecarContainersFeature{}

// SidecarContainers is the feature gate and the name of the feature.
const SidecarContainers = "SidecarContainers"

// Feature is the implementation of the SidecarContainers feature: a node without it
// would start and stop all containers of a pod together.
var Feature = &sidecarContainersFeature{}

type sidecarContainersFeature struct{}

func (f *sidecarContainersFeature) Name() string {
	return SidecarContainers
}

func (f *sidecarContainersFeature) Discover(cfg *types.NodeConfiguration) bool {
	return cfg.FeatureGates.Enabled(SidecarContainers)
}

func (f *sidecarContainersFeature) Requirements() *types.FeatureRequirements {
	return &types.FeatureRequirements{
		EnabledFeatureGates: []string{SidecarContainers},
	}
}

// InferForScheduling returns true for pods with a sidecar. A pod that runs already
// goes on when the gate of its node is turned off, with its sidecars as ordinary
// containers.
func (f *sidecarContainersFeature) InferForScheduling(podInfo *types.PodInfo) bool {
	if podInfo.Status != nil && podInfo.Status.Phase == v1.PodRunning {
		return false
	}
	for i := range podInfo.Spec.Containers {
		if lifecycle := podInfo.Spec.Containers[i].Lifecycle; lifecycle != nil && lifecycle.Type != nil && *lifecycle.Type == v1.LifecycleTypeSidecar {
			return true
		}
	}
	return false
}

func (f *sidecarContainersFeature) InferForUpdate(_, _ *types.PodInfo) bool {
	// container.lifecycle is not mutable.
	return false
}

func (f *sidecarContainersFeature) MaxVersion() *version.Version {
	return nil
}
