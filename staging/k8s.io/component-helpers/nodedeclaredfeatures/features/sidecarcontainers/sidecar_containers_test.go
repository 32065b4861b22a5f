/*
Copyright The Sidecar Node Authors.

SPDX-License-Identifier: Apache-2.0
*/

package sidecarcontainers

import (
	"testing"

	v1 "k8s.io/api/core/v1"
	"k8s.io/component-helpers/nodedeclaredfeatures/types"
)

func TestDiscover(t *testing.T) {
	for _, enabled := range []bool{true, false} {
		cfg := &types.NodeConfiguration{FeatureGates: types.FeatureGateMap{Feature.Requirements().EnabledFeatureGates[0]: enabled}}
		if got := Feature.Discover(cfg); got != enabled {
			t.Errorf("gate %v: got %v", enabled, got)
		}
	}
}

func TestInferForScheduling(t *testing.T) {
	container := func(lifecycleType *v1.LifecycleType) v1.Container {
		return v1.Container{Lifecycle: &v1.Lifecycle{Type: lifecycleType}}
	}
	sidecar, standard := v1.LifecycleTypeSidecar, v1.LifecycleTypeStandard
	for _, test := range []struct {
		name       string
		containers []v1.Container
		init       []v1.Container
		status     *v1.PodStatus
		want       bool
	}{
		{name: "no lifecycle", containers: []v1.Container{{}}},
		{name: "no type", containers: []v1.Container{container(nil)}},
		{name: "standard", containers: []v1.Container{container(&standard)}},
		{name: "sidecar, not scheduled yet", containers: []v1.Container{{}, container(&sidecar)}, want: true},
		{name: "sidecar, no phase yet", containers: []v1.Container{{}, container(&sidecar)}, status: &v1.PodStatus{}, want: true},
		{name: "sidecar, pending", containers: []v1.Container{{}, container(&sidecar)}, status: &v1.PodStatus{Phase: v1.PodPending}, want: true},
		{name: "sidecar, running", containers: []v1.Container{{}, container(&sidecar)}, status: &v1.PodStatus{Phase: v1.PodRunning}},
		{name: "native sidecar", containers: []v1.Container{{}}, init: []v1.Container{{}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			podInfo := &types.PodInfo{Spec: &v1.PodSpec{Containers: test.containers, InitContainers: test.init}, Status: test.status}
			if got := Feature.InferForScheduling(podInfo); got != test.want {
				t.Errorf("got %v, want %v", got, test.want)
			}
			if Feature.InferForUpdate(podInfo, podInfo) {
				t.Error("the type is not mutable, an update cannot need the feature")
			}
		})
	}
}
