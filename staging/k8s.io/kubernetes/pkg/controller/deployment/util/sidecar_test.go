/*
Copyright The Sidecar Node Authors.

SPDX-License-Identifier: Apache-2.0
*/

package util

import (
	"testing"

	"github.com/stretchr/testify/assert"
	v1 "k8s.io/api/core/v1"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	featuregatetesting "k8s.io/component-base/featuregate/testing"
	"k8s.io/kubernetes/pkg/features"
	"k8s.io/utils/ptr"
)

func TestEqualIgnoreHashWithSidecars(t *testing.T) {
	hook := &v1.LifecycleHandler{Exec: &v1.ExecAction{Command: []string{"hook"}}}
	template := func(lifecycle *v1.Lifecycle) *v1.PodTemplateSpec {
		return &v1.PodTemplateSpec{Spec: v1.PodSpec{Containers: []v1.Container{{Name: "app"}, {Name: "proxy", Lifecycle: lifecycle}}}}
	}
	sidecar := ptr.To(v1.LifecycleTypeSidecar)
	for _, test := range []struct {
		name    string
		a, b    *v1.Lifecycle
		on, off bool
	}{
		{name: "same type", a: &v1.Lifecycle{Type: sidecar}, b: &v1.Lifecycle{Type: sidecar}, on: true, off: true},
		{name: "type against none", a: &v1.Lifecycle{Type: sidecar}, on: false, off: true},
		{name: "type and hook against hook", a: &v1.Lifecycle{Type: sidecar, PreStop: hook}, b: &v1.Lifecycle{PreStop: hook}, on: false, off: true},
		{name: "type and hook against nothing", a: &v1.Lifecycle{Type: sidecar, PreStop: hook}, on: false, off: false},
		{name: "hook against none", a: &v1.Lifecycle{PreStop: hook}, on: false, off: false},
		{name: "empty against none", a: &v1.Lifecycle{}, on: false, off: false},
	} {
		t.Run(test.name, func(t *testing.T) {
			for gate, want := range map[bool]bool{true: test.on, false: test.off} {
				featuregatetesting.SetFeatureGateDuringTest(t, utilfeature.DefaultFeatureGate, features.SidecarContainers, gate)
				a, b := template(test.a), template(test.b)
				assert.Equal(t, want, EqualIgnoreHash(a, b), "gate %v", gate)
				assert.Equal(t, want, EqualIgnoreHash(b, a), "gate %v, the other way round", gate)
				assert.Equal(t, template(test.a), a, "arguments must not change")
			}
		})
	}
}
