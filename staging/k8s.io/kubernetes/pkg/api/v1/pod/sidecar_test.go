/*
Copyright The Sidecar Node Authors.

SPDX-License-Identifier: Apache-2.0
*/

package pod

import (
	"testing"

	v1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"
)

func TestIsSidecarContainer(t *testing.T) {
	for _, tc := range []struct {
		name string
		ctr  *v1.Container
		want bool
	}{
		{name: "no container", ctr: nil},
		{name: "no lifecycle", ctr: &v1.Container{}},
		{name: "hook only", ctr: &v1.Container{Lifecycle: &v1.Lifecycle{PreStop: &v1.LifecycleHandler{}}}},
		{name: "Standard", ctr: &v1.Container{Lifecycle: &v1.Lifecycle{Type: ptr.To(v1.LifecycleTypeStandard)}}},
		{name: "empty value", ctr: &v1.Container{Lifecycle: &v1.Lifecycle{Type: ptr.To(v1.LifecycleType(""))}}},
		{name: "wrong case", ctr: &v1.Container{Lifecycle: &v1.Lifecycle{Type: ptr.To(v1.LifecycleType("sidecar"))}}},
		{name: "native sidecar", ctr: &v1.Container{RestartPolicy: ptr.To(v1.ContainerRestartPolicyAlways)}},
		{name: "Sidecar", ctr: &v1.Container{Lifecycle: &v1.Lifecycle{Type: ptr.To(v1.LifecycleTypeSidecar)}}, want: true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := IsSidecarContainer(tc.ctr); got != tc.want {
				t.Errorf("got %v, want %v", got, tc.want)
			}
		})
	}
}

func TestHasSidecarContainers(t *testing.T) {
	sidecar := &v1.Lifecycle{Type: ptr.To(v1.LifecycleTypeSidecar)}
	standard := &v1.Lifecycle{Type: ptr.To(v1.LifecycleTypeStandard)}
	for _, tc := range []struct {
		name string
		spec *v1.PodSpec
		want bool
	}{
		{name: "no spec", spec: nil},
		{name: "no containers", spec: &v1.PodSpec{}},
		{name: "app only", spec: &v1.PodSpec{Containers: []v1.Container{{Name: "a"}, {Name: "b", Lifecycle: standard}}}},
		{name: "init container only", spec: &v1.PodSpec{
			InitContainers: []v1.Container{{Name: "init", Lifecycle: sidecar}},
			Containers:     []v1.Container{{Name: "a"}},
		}},
		{name: "first", spec: &v1.PodSpec{Containers: []v1.Container{{Name: "s", Lifecycle: sidecar}, {Name: "a"}}}, want: true},
		{name: "last", spec: &v1.PodSpec{Containers: []v1.Container{{Name: "a"}, {Name: "s", Lifecycle: sidecar}}}, want: true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := HasSidecarContainers(tc.spec); got != tc.want {
				t.Errorf("got %v, want %v", got, tc.want)
			}
		})
	}
}
