/*
Copyright The Sidecar Node Authors.

SPDX-License-Identifier: Apache-2.0
*/

package pod

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/apiserver/pkg/warning"
	featuregatetesting "k8s.io/component-base/featuregate/testing"
	api "k8s.io/kubernetes/pkg/apis/core"
	"k8s.io/kubernetes/pkg/features"
	"k8s.io/utils/ptr"
)

// specOf makes a pod spec of bytes: one container for each, with or without a type, a
// hook and an empty lifecycle, and every fifth one among the init containers.
func specOf(shape []byte) *api.PodSpec {
	spec := &api.PodSpec{}
	for i, b := range shape {
		container := api.Container{Name: string(rune('a' + i%26))}
		switch b % 6 {
		case 1:
			container.Lifecycle = &api.Lifecycle{}
		case 2:
			container.Lifecycle = &api.Lifecycle{PreStop: &api.LifecycleHandler{}}
		case 3:
			container.Lifecycle = &api.Lifecycle{Type: ptr.To(api.LifecycleTypeSidecar)}
		case 4:
			container.Lifecycle = &api.Lifecycle{Type: ptr.To(api.LifecycleTypeSidecar), PreStop: &api.LifecycleHandler{}}
		case 5:
			container.Lifecycle = &api.Lifecycle{Type: ptr.To(api.LifecycleType(string(shape[i:])))}
		}
		if b >= 200 {
			spec.InitContainers = append(spec.InitContainers, container)
		} else {
			spec.Containers = append(spec.Containers, container)
		}
	}
	return spec
}

func typesIn(spec *api.PodSpec) int {
	n := 0
	VisitContainers(spec, InitContainers|Containers, func(c *api.Container, _ ContainerType) bool {
		if c.Lifecycle != nil && c.Lifecycle.Type != nil {
			n++
		}
		return true
	})
	return n
}

// Whatever a pod spec looks like: with the gate off it has no type afterwards unless
// the stored one has, each removal is warned of, and nothing else changes.
func FuzzDropDisabledLifecycleType(f *testing.F) {
	featuregatetesting.SetFeatureGateDuringTest(f, utilfeature.DefaultFeatureGate, features.SidecarContainers, false)
	for _, seed := range [][2]string{{"", ""}, {"\x00\x03", ""}, {"\x00\x04", "\x00\x00"}, {"\x03\x05\xcb", "\x02"}, {"\x00\x03", "\x00\x03"}, {"\x00\x00", "\x00\x04"}} {
		f.Add([]byte(seed[0]), []byte(seed[1]), seed[1] != "")
	}
	f.Fuzz(func(t *testing.T, newShape, oldShape []byte, update bool) {
		spec, before := specOf(newShape), specOf(newShape)
		template, old := &api.PodTemplateSpec{Spec: *spec}, (*api.PodTemplateSpec)(nil)
		inUse := false
		if update {
			old = &api.PodTemplateSpec{Spec: *specOf(oldShape)}
			inUse = typesIn(&old.Spec) > 0
		}
		var warnings warningTexts
		WarnTemplateLifecycleType(warning.WithWarningRecorder(context.Background(), &warnings), field.NewPath("spec", "template"), template, old)
		DropDisabledTemplateFields(template, old)
		if inUse {
			if diff := cmp.Diff(before, &template.Spec); diff != "" {
				t.Errorf("in use by the stored object, but changed (-before +after):\n%s", diff)
			}
			return
		}
		if n := typesIn(&template.Spec); n != 0 {
			t.Errorf("%d types are left", n)
		}
		if len(warnings) != typesIn(before) {
			t.Errorf("%d warnings for %d removed types: %q", len(warnings), typesIn(before), warnings)
		}
		// Put back what was removed: nothing else may differ.
		restore := func(after, before []api.Container) {
			for i := range before {
				if lifecycle := before[i].Lifecycle; lifecycle != nil && lifecycle.Type != nil {
					if after[i].Lifecycle == nil {
						after[i].Lifecycle = &api.Lifecycle{}
					}
					after[i].Lifecycle.Type = lifecycle.Type
				}
			}
		}
		restore(template.Spec.Containers, before.Containers)
		restore(template.Spec.InitContainers, before.InitContainers)
		if diff := cmp.Diff(before, &template.Spec); diff != "" {
			t.Errorf("more than the types was changed (-before +after):\n%s", diff)
		}
	})
}
