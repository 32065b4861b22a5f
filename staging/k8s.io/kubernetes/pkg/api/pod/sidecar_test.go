/*
Copyright The Sidecar Node Authors.

SPDX-License-Identifier: Apache-2.0
*/

package pod

import (
	"context"
	"fmt"
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

// warningTexts records the warnings of a request.
type warningTexts []string

func (w *warningTexts) AddWarning(_, text string) { *w = append(*w, text) }

const removedText = ": removed, because the feature gate SidecarContainers is disabled in the API server; the container runs as an ordinary one"

func TestDropDisabledLifecycleType(t *testing.T) {
	preStop := &api.LifecycleHandler{Exec: &api.ExecAction{Command: []string{"true"}}}
	container := func(name string, lifecycle *api.Lifecycle) api.Container {
		return api.Container{Name: name, Lifecycle: lifecycle}
	}
	typed := func(t api.LifecycleType) *api.Lifecycle { return &api.Lifecycle{Type: ptr.To(t)} }
	sidecar := typed(api.LifecycleTypeSidecar)
	spec := func(containers ...api.Container) *api.PodSpec { return &api.PodSpec{Containers: containers} }

	for _, tc := range []struct {
		name         string
		old          *api.PodSpec
		new          *api.PodSpec
		wantDisabled *api.PodSpec // nil: same as new
		wantWarnings []string     // with the gate off
		wantLost     string       // of a template, with the gate off and on
	}{{
		name: "not used",
		new:  spec(container("app", nil), container("hooked", &api.Lifecycle{PreStop: preStop})),
	}, {
		name: "an empty lifecycle stays",
		new:  spec(container("app", &api.Lifecycle{})),
	}, {
		name:         "new",
		new:          spec(container("app", nil), container("proxy", sidecar)),
		wantDisabled: spec(container("app", nil), container("proxy", nil)),
		wantWarnings: []string{"spec.containers[1].lifecycle.type" + removedText},
	}, {
		name:         "added on update",
		old:          spec(container("app", nil), container("proxy", nil)),
		new:          spec(container("app", nil), container("proxy", sidecar)),
		wantDisabled: spec(container("app", nil), container("proxy", nil)),
		wantWarnings: []string{"spec.containers[1].lifecycle.type" + removedText},
	}, {
		name:         "hooks stay",
		new:          spec(container("app", nil), container("proxy", &api.Lifecycle{PreStop: preStop, Type: ptr.To(api.LifecycleTypeSidecar)})),
		wantDisabled: spec(container("app", nil), container("proxy", &api.Lifecycle{PreStop: preStop})),
		wantWarnings: []string{"spec.containers[1].lifecycle.type" + removedText},
	}, {
		name:         "Standard and unknown values too",
		new:          spec(container("app", typed(api.LifecycleTypeStandard)), container("proxy", typed("Foo"))),
		wantDisabled: spec(container("app", nil), container("proxy", nil)),
		wantWarnings: []string{"spec.containers[0].lifecycle.type" + removedText, "spec.containers[1].lifecycle.type" + removedText},
	}, {
		name:         "init containers too",
		new:          &api.PodSpec{InitContainers: []api.Container{container("init", sidecar)}, Containers: []api.Container{container("app", nil)}},
		wantDisabled: &api.PodSpec{InitContainers: []api.Container{container("init", nil)}, Containers: []api.Container{container("app", nil)}},
		wantWarnings: []string{"spec.initContainers[0].lifecycle.type" + removedText},
	}, {
		name: "ephemeral containers are left to validation",
		new: &api.PodSpec{
			Containers:          []api.Container{container("app", nil)},
			EphemeralContainers: []api.EphemeralContainer{{EphemeralContainerCommon: api.EphemeralContainerCommon(container("debug", sidecar))}},
		},
	}, {
		name: "in use by the stored object",
		old:  spec(container("app", nil), container("proxy", sidecar)),
		new:  spec(container("app", nil), container("proxy", sidecar)),
	}, {
		name: "in use by another container of the stored object",
		old:  spec(container("app", typed(api.LifecycleTypeStandard)), container("proxy", nil)),
		new:  spec(container("app", nil), container("proxy", sidecar)),
	}, {
		name:     "removed by the client",
		old:      spec(container("app", nil), container("proxy", sidecar)),
		new:      spec(container("app", nil), container("proxy", nil)),
		wantLost: "spec.template.spec.containers[1].lifecycle.type: removed by this update, it was Sidecar: container \"proxy\" becomes an ordinary one; if that was not meant, the client does not know the field: patch the object instead of replacing it",
	}} {
		for _, enabled := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, gate %v", tc.name, enabled), func(t *testing.T) {
				featuregatetesting.SetFeatureGateDuringTest(t, utilfeature.DefaultFeatureGate, features.SidecarContainers, enabled)
				want, wantWarnings := tc.new, []string(nil)
				if !enabled {
					wantWarnings = tc.wantWarnings
					if tc.wantDisabled != nil {
						want = tc.wantDisabled
					}
				}

				t.Run("pod", func(t *testing.T) {
					var got warningTexts
					ctx := warning.WithWarningRecorder(context.Background(), &got)
					newPod := &api.Pod{Spec: *tc.new.DeepCopy()}
					var oldPod *api.Pod
					if tc.old != nil {
						oldPod = &api.Pod{Spec: *tc.old.DeepCopy()}
					}
					WarnPodLifecycleType(ctx, newPod, oldPod)
					DropDisabledPodFields(newPod, oldPod)
					if diff := cmp.Diff(want, &newPod.Spec); diff != "" {
						t.Errorf("new spec (-want +got):\n%s", diff)
					}
					if diff := cmp.Diff(wantWarnings, []string(got)); diff != "" {
						t.Errorf("warnings (-want +got):\n%s", diff)
					}
					if oldPod != nil {
						if diff := cmp.Diff(tc.old, &oldPod.Spec); diff != "" {
							t.Errorf("old spec changed (-want +got):\n%s", diff)
						}
					}
				})

				t.Run("template", func(t *testing.T) {
					var got warningTexts
					ctx := warning.WithWarningRecorder(context.Background(), &got)
					newTemplate := &api.PodTemplateSpec{Spec: *tc.new.DeepCopy()}
					var oldTemplate *api.PodTemplateSpec
					if tc.old != nil {
						oldTemplate = &api.PodTemplateSpec{Spec: *tc.old.DeepCopy()}
					}
					WarnTemplateLifecycleType(ctx, field.NewPath("spec", "template"), newTemplate, oldTemplate)
					DropDisabledTemplateFields(newTemplate, oldTemplate)
					if diff := cmp.Diff(want, &newTemplate.Spec); diff != "" {
						t.Errorf("new spec (-want +got):\n%s", diff)
					}
					var wantInTemplate []string
					for _, w := range wantWarnings {
						wantInTemplate = append(wantInTemplate, "spec.template."+w)
					}
					if tc.wantLost != "" {
						wantInTemplate = append(wantInTemplate, tc.wantLost)
					}
					if diff := cmp.Diff(wantInTemplate, []string(got)); diff != "" {
						t.Errorf("warnings (-want +got):\n%s", diff)
					}
				})
			})
		}
	}
}

// A replication controller may have no template.
func TestWarnLifecycleTypeWithoutTemplate(t *testing.T) {
	featuregatetesting.SetFeatureGateDuringTest(t, utilfeature.DefaultFeatureGate, features.SidecarContainers, false)
	var got warningTexts
	ctx := warning.WithWarningRecorder(context.Background(), &got)
	WarnTemplateLifecycleType(ctx, field.NewPath("spec", "template"), nil, nil)
	WarnPodLifecycleType(ctx, nil, nil)
	if len(got) != 0 {
		t.Errorf("unexpected warnings: %q", got)
	}
}
