/*
Copyright The Sidecar Node Authors.

SPDX-License-Identifier: Apache-2.0
*/

package helper

import (
	"testing"

	"k8s.io/kubernetes/pkg/apis/core"
	"k8s.io/utils/ptr"
)

func TestIsSidecarContainer(t *testing.T) {
	for _, tc := range []struct {
		name string
		ctr  *core.Container
		want bool
	}{
		{name: "no container", ctr: nil},
		{name: "no lifecycle", ctr: &core.Container{}},
		{name: "hook only", ctr: &core.Container{Lifecycle: &core.Lifecycle{PreStop: &core.LifecycleHandler{}}}},
		{name: "Standard", ctr: &core.Container{Lifecycle: &core.Lifecycle{Type: ptr.To(core.LifecycleTypeStandard)}}},
		{name: "empty value", ctr: &core.Container{Lifecycle: &core.Lifecycle{Type: ptr.To(core.LifecycleType(""))}}},
		{name: "wrong case", ctr: &core.Container{Lifecycle: &core.Lifecycle{Type: ptr.To(core.LifecycleType("sidecar"))}}},
		{name: "Sidecar", ctr: &core.Container{Lifecycle: &core.Lifecycle{Type: ptr.To(core.LifecycleTypeSidecar)}}, want: true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := IsSidecarContainer(tc.ctr); got != tc.want {
				t.Errorf("got %v, want %v", got, tc.want)
			}
		})
	}
}

func TestIsSidecarContainerName(t *testing.T) {
	sidecar := &core.Lifecycle{Type: ptr.To(core.LifecycleTypeSidecar)}
	spec := &core.PodSpec{
		// A type on an init container is refused on write and has no meaning.
		InitContainers: []core.Container{{Name: "init", Lifecycle: sidecar}},
		Containers:     []core.Container{{Name: "app"}, {Name: "proxy", Lifecycle: sidecar}},
	}
	for name, want := range map[string]bool{"app": false, "proxy": true, "init": false, "unknown": false, "": false} {
		if got := IsSidecarContainerName(spec, name); got != want {
			t.Errorf("%q: got %v, want %v", name, got, want)
		}
	}
}
