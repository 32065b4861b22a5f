/*
Copyright The Sidecar Node Authors.

SPDX-License-Identifier: Apache-2.0
*/

package validation

import (
	"testing"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/kubernetes/pkg/apis/core"
	"k8s.io/utils/ptr"
)

// containersOf makes containers of bytes, one for each: without a type, a standard
// container, a sidecar, one of some other type; with or without a restart policy and
// rules.
func containersOf(shape []byte) []core.Container {
	var containers []core.Container
	for i, b := range shape {
		container := core.Container{Name: string(rune('a' + i%26))}
		switch b % 4 {
		case 1:
			container.Lifecycle = &core.Lifecycle{Type: ptr.To(core.LifecycleTypeStandard)}
		case 2:
			container.Lifecycle = &core.Lifecycle{Type: ptr.To(core.LifecycleTypeSidecar)}
		case 3:
			container.Lifecycle = &core.Lifecycle{Type: ptr.To(core.LifecycleType(string(shape[i:])))}
		}
		switch b / 4 % 4 {
		case 1:
			container.RestartPolicy = ptr.To(core.ContainerRestartPolicyAlways)
		case 2:
			container.RestartPolicy = ptr.To(core.ContainerRestartPolicyNever)
		case 3:
			withRestartRule(&container)
		}
		containers = append(containers, container)
	}
	return containers
}

// Containers are valid if each type is known, one of them is no sidecar, and no sidecar
// has restart rules or a policy that would keep it down. Any path of an error is that
// of a container that is there.
func FuzzValidateSidecarContainers(f *testing.F) {
	for _, seed := range []string{"", "\x00", "\x02", "\x00\x02", "\x02\x02", "\x01\x02\x06", "\x00\x0a", "\x00\x0e", "\x03", "\x00\x03Sidecar"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, shape []byte) {
		containers := containersOf(shape)
		valid, sidecars := true, 0
		for i := range containers {
			c := &containers[i]
			switch {
			case c.Lifecycle == nil || c.Lifecycle.Type == nil || *c.Lifecycle.Type == "Standard":
			case *c.Lifecycle.Type == "Sidecar":
				sidecars++
				valid = valid && len(c.RestartPolicyRules) == 0 && (c.RestartPolicy == nil || *c.RestartPolicy == "Always")
			default:
				valid = false
			}
		}
		valid = valid && (sidecars == 0 || sidecars < len(containers))
		errs := validateSidecarContainers(containers, field.NewPath("spec", "containers"))
		if (len(errs) == 0) != valid {
			t.Errorf("valid %v, got %v for %+v", valid, errs, containers)
		}
	})
}
