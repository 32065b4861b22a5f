/*
Copyright The Sidecar Node Authors.

SPDX-License-Identifier: Apache-2.0
*/

package validation

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	podtest "k8s.io/kubernetes/pkg/api/pod/testing"
	"k8s.io/kubernetes/pkg/apis/core"
	"k8s.io/utils/ptr"
)

// withLifecycleType returns a valid container of the given lifecycle type.
func withLifecycleType(name string, t core.LifecycleType, tweaks ...podtest.TweakContainer) core.Container {
	ctr := podtest.MakeContainer(name)
	ctr.Lifecycle = &core.Lifecycle{Type: ptr.To(t)}
	for _, tweak := range tweaks {
		tweak(&ctr)
	}
	return ctr
}

func withRestartRule(ctr *core.Container) {
	ctr.RestartPolicyRules = []core.ContainerRestartRule{{
		Action: core.ContainerRestartRuleActionRestart,
		ExitCodes: &core.ContainerRestartRuleOnExitCodes{
			Operator: core.ContainerRestartRuleOnExitCodesOpIn,
			Values:   []int32{42},
		},
	}}
}

// checkErrors compares errors with the wanted ones by order, exact path and a part of
// the text, so that a text which stops helping the user fails the test.
func checkErrors(t *testing.T, errs field.ErrorList, want []string) {
	t.Helper()
	for i := 0; i < len(errs) || i < len(want); i++ {
		switch {
		case i >= len(want):
			t.Errorf("unexpected error: %v", errs[i])
		case i >= len(errs):
			t.Errorf("missing error: %s", want[i])
		case !strings.HasPrefix(errs[i].Error(), want[i]):
			t.Errorf("error %d:\n got: %v\nwant: %s...", i, errs[i], want[i])
		}
	}
}

const (
	allSidecarsText      = `all containers are of lifecycle type Sidecar: a pod needs at least one container that is not`
	initContainerText    = `Forbidden: may not be set for init containers; to run an init container as a sidecar, set its restartPolicy to Always`
	sidecarRestartText   = `must be unset or Always when lifecycle.type is Sidecar, because a sidecar is restarted whenever it exits`
	sidecarRuleText      = `Forbidden: may not be set when lifecycle.type is Sidecar, because a sidecar is restarted whenever it exits`
	upstreamInitHookText = `Forbidden: may not be set for init containers without restartPolicy=Always`
)

func TestValidateLifecycleType(t *testing.T) {
	app := podtest.MakeContainer("app")
	sidecar := withLifecycleType("proxy", core.LifecycleTypeSidecar)

	for _, tc := range []struct {
		name           string
		containers     []core.Container
		initContainers []core.Container
		want           []string
	}{{
		name:       "unset",
		containers: []core.Container{app},
	}, {
		name:       "Standard",
		containers: []core.Container{withLifecycleType("app", core.LifecycleTypeStandard)},
	}, {
		name:       "sidecar after the app",
		containers: []core.Container{app, sidecar},
	}, {
		name:       "sidecar before the app",
		containers: []core.Container{sidecar, app},
	}, {
		name:       "several sidecars and an explicit Standard",
		containers: []core.Container{sidecar, withLifecycleType("logs", core.LifecycleTypeSidecar), withLifecycleType("app", core.LifecycleTypeStandard)},
	}, {
		name: "sidecar with hook and probes",
		containers: []core.Container{app, withLifecycleType("proxy", core.LifecycleTypeSidecar, func(ctr *core.Container) {
			ctr.Lifecycle.PreStop = &core.LifecycleHandler{Exec: &core.ExecAction{Command: []string{"true"}}}
			ctr.ReadinessProbe = &core.Probe{
				ProbeHandler:  core.ProbeHandler{Exec: &core.ExecAction{Command: []string{"true"}}},
				PeriodSeconds: 1, TimeoutSeconds: 1, SuccessThreshold: 1, FailureThreshold: 1,
			}
		})},
	}, {
		name:       "unknown value",
		containers: []core.Container{app, withLifecycleType("proxy", "Foo")},
		want:       []string{`spec.containers[1].lifecycle.type: Unsupported value: "Foo": supported values: "Sidecar", "Standard"`},
	}, {
		name:       "wrong case",
		containers: []core.Container{app, withLifecycleType("proxy", "sidecar")},
		want:       []string{`spec.containers[1].lifecycle.type: Unsupported value: "sidecar": supported values: "Sidecar", "Standard"`},
	}, {
		name:       "empty value",
		containers: []core.Container{withLifecycleType("app", "")},
		want:       []string{`spec.containers[0].lifecycle.type: Unsupported value: "": supported values: "Sidecar", "Standard"`},
	}, {
		name:       "every wrong value is reported",
		containers: []core.Container{withLifecycleType("a", "Foo"), withLifecycleType("b", "Bar")},
		want: []string{
			`spec.containers[0].lifecycle.type: Unsupported value: "Foo"`,
			`spec.containers[1].lifecycle.type: Unsupported value: "Bar"`,
		},
	}, {
		name:       "a wrong value is no sidecar",
		containers: []core.Container{sidecar, withLifecycleType("b", "Foo")},
		want:       []string{`spec.containers[1].lifecycle.type: Unsupported value: "Foo"`},
	}, {
		name:       "only a sidecar",
		containers: []core.Container{sidecar},
		want:       []string{`spec.containers: Invalid value: "proxy": ` + allSidecarsText},
	}, {
		name:       "only sidecars",
		containers: []core.Container{sidecar, withLifecycleType("logs", core.LifecycleTypeSidecar)},
		want:       []string{`spec.containers: Invalid value: "proxy, logs": ` + allSidecarsText},
	}, {
		name:           "an init container is no app container",
		containers:     []core.Container{sidecar},
		initContainers: []core.Container{podtest.MakeContainer("init")},
		want:           []string{`spec.containers: Invalid value: "proxy": ` + allSidecarsText},
	}, {
		name:       "no containers",
		containers: nil,
		want:       []string{`spec.containers: Required value`},
	}, {
		name:           "init container",
		containers:     []core.Container{app},
		initContainers: []core.Container{withLifecycleType("init", core.LifecycleTypeSidecar)},
		want: []string{
			`spec.initContainers[0].lifecycle.type: ` + initContainerText,
			`spec.initContainers[0].lifecycle: ` + upstreamInitHookText,
		},
	}, {
		name:           "Standard init container",
		containers:     []core.Container{app},
		initContainers: []core.Container{withLifecycleType("init", core.LifecycleTypeStandard)},
		want: []string{
			`spec.initContainers[0].lifecycle.type: ` + initContainerText,
			`spec.initContainers[0].lifecycle: ` + upstreamInitHookText,
		},
	}, {
		name:           "native sidecar",
		containers:     []core.Container{app},
		initContainers: []core.Container{withLifecycleType("init", core.LifecycleTypeSidecar, podtest.SetContainerRestartPolicy(core.ContainerRestartPolicyAlways))},
		want:           []string{`spec.initContainers[0].lifecycle.type: ` + initContainerText},
	}, {
		name:           "native sidecar, unknown value",
		containers:     []core.Container{app},
		initContainers: []core.Container{withLifecycleType("init", "Foo", podtest.SetContainerRestartPolicy(core.ContainerRestartPolicyAlways))},
		want:           []string{`spec.initContainers[0].lifecycle.type: ` + initContainerText},
	}, {
		name:       "native sidecar with hook, beside a sidecar",
		containers: []core.Container{app, sidecar},
		initContainers: []core.Container{podtest.MakeContainer("init", podtest.SetContainerRestartPolicy(core.ContainerRestartPolicyAlways), podtest.SetContainerLifecycle(core.Lifecycle{
			PreStop: &core.LifecycleHandler{Exec: &core.ExecAction{Command: []string{"true"}}},
		}))},
	}, {
		name:       "restartPolicy Always",
		containers: []core.Container{app, withLifecycleType("proxy", core.LifecycleTypeSidecar, podtest.SetContainerRestartPolicy(core.ContainerRestartPolicyAlways))},
	}, {
		name:       "restartPolicy OnFailure",
		containers: []core.Container{app, withLifecycleType("proxy", core.LifecycleTypeSidecar, podtest.SetContainerRestartPolicy(core.ContainerRestartPolicyOnFailure))},
		want:       []string{`spec.containers[1].restartPolicy: Invalid value: "OnFailure": ` + sidecarRestartText},
	}, {
		name:       "restartPolicy Never",
		containers: []core.Container{app, withLifecycleType("proxy", core.LifecycleTypeSidecar, podtest.SetContainerRestartPolicy(core.ContainerRestartPolicyNever))},
		want:       []string{`spec.containers[1].restartPolicy: Invalid value: "Never": ` + sidecarRestartText},
	}, {
		name:       "restartPolicy unknown is reported once",
		containers: []core.Container{app, withLifecycleType("proxy", core.LifecycleTypeSidecar, podtest.SetContainerRestartPolicy("Foo"))},
		want:       []string{`spec.containers[1].restartPolicy: Unsupported value: "Foo"`},
	}, {
		name:       "restartPolicyRules",
		containers: []core.Container{app, withLifecycleType("proxy", core.LifecycleTypeSidecar, podtest.SetContainerRestartPolicy(core.ContainerRestartPolicyAlways), withRestartRule)},
		want:       []string{`spec.containers[1].restartPolicyRules: ` + sidecarRuleText},
	}, {
		name:       "restartPolicy and restartPolicyRules of an app container",
		containers: []core.Container{withLifecycleType("app", core.LifecycleTypeStandard, podtest.SetContainerRestartPolicy(core.ContainerRestartPolicyNever), withRestartRule), sidecar},
	}} {
		t.Run(tc.name, func(t *testing.T) {
			opts := PodValidationOptions{ResourceIsPod: true, AllowContainerRestartPolicyRules: true}
			pod := podtest.MakePod("pod", podtest.SetContainers(tc.containers...), podtest.SetInitContainers(tc.initContainers...))
			checkErrors(t, ValidatePodCreate(pod, opts), tc.want)

			// The same rules hold for every pod template.
			wantInTemplate := make([]string, 0, len(tc.want))
			for _, w := range tc.want {
				wantInTemplate = append(wantInTemplate, strings.Replace(w, "spec.", "template.spec.", 1))
			}
			template := &core.PodTemplate{
				ObjectMeta: metav1.ObjectMeta{Name: "template", Namespace: metav1.NamespaceDefault},
				Template:   core.PodTemplateSpec{Spec: pod.Spec},
			}
			opts.ResourceIsPod = false
			checkErrors(t, ValidatePodTemplate(template, opts), wantInTemplate)
		})
	}
}

func TestValidateLifecycleTypeEphemeralContainer(t *testing.T) {
	for _, lifecycleType := range []core.LifecycleType{core.LifecycleTypeSidecar, core.LifecycleTypeStandard, "Foo"} {
		ctr := withLifecycleType("debug", lifecycleType)
		pod := podtest.MakePod("pod", podtest.SetEphemeralContainers(core.EphemeralContainer{
			EphemeralContainerCommon: core.EphemeralContainerCommon(ctr),
		}))
		oldPod := podtest.MakePod("pod")
		pod.ResourceVersion, oldPod.ResourceVersion = "1", "1"
		checkErrors(t, ValidatePodEphemeralContainersUpdate(pod, oldPod, PodValidationOptions{ResourceIsPod: true}),
			[]string{`spec.ephemeralContainers[0].lifecycle: Forbidden: cannot be set for an Ephemeral Container`})
	}
}

func TestValidateLifecycleTypeUpdate(t *testing.T) {
	app := podtest.MakeContainer("app")
	plain := podtest.MakeContainer("proxy")
	standard := withLifecycleType("proxy", core.LifecycleTypeStandard)
	sidecar := withLifecycleType("proxy", core.LifecycleTypeSidecar)
	newImage := withLifecycleType("proxy", core.LifecycleTypeSidecar, func(ctr *core.Container) { ctr.Image = "other" })

	immutable := func(found string) []string {
		return []string{
			`spec.containers[1].lifecycle.type: Invalid value: ` + found + `: field is immutable`,
			`spec: Forbidden: pod updates may not change fields other than`,
		}
	}
	for _, tc := range []struct {
		name     string
		old, new core.Container
		want     []string
	}{
		{name: "same", old: sidecar, new: sidecar},
		{name: "image of a sidecar", old: sidecar, new: newImage},
		{name: "plain to Sidecar", old: plain, new: sidecar, want: immutable(`"Sidecar"`)},
		{name: "plain to Standard", old: plain, new: standard, want: immutable(`"Standard"`)},
		{name: "Standard to Sidecar", old: standard, new: sidecar, want: immutable(`"Sidecar"`)},
		{name: "Sidecar to Standard", old: sidecar, new: standard, want: immutable(`"Standard"`)},
		{name: "Sidecar to plain", old: sidecar, new: plain, want: immutable(`null`)},
	} {
		t.Run(tc.name, func(t *testing.T) {
			opts := PodValidationOptions{ResourceIsPod: true}
			oldPod := podtest.MakePod("pod", podtest.SetContainers(app, tc.old), podtest.SetResourceVersion("1"))
			newPod := podtest.MakePod("pod", podtest.SetContainers(app, tc.new), podtest.SetResourceVersion("1"))
			checkErrors(t, ValidatePodUpdate(newPod, oldPod, opts), tc.want)
		})
	}

	t.Run("added container", func(t *testing.T) {
		oldPod := podtest.MakePod("pod", podtest.SetContainers(app), podtest.SetResourceVersion("1"))
		newPod := podtest.MakePod("pod", podtest.SetContainers(app, sidecar), podtest.SetResourceVersion("1"))
		checkErrors(t, ValidatePodUpdate(newPod, oldPod, PodValidationOptions{ResourceIsPod: true}),
			[]string{`spec.containers: Forbidden: pod updates may not add or remove containers`})
	})

	t.Run("free in a template", func(t *testing.T) {
		template := func(ctr core.Container) *core.PodTemplate {
			return &core.PodTemplate{
				ObjectMeta: metav1.ObjectMeta{Name: "template", Namespace: metav1.NamespaceDefault, ResourceVersion: "1"},
				Template:   core.PodTemplateSpec{Spec: podtest.MakePodSpec(podtest.SetContainers(app, ctr))},
			}
		}
		for _, pair := range [][2]core.Container{{plain, sidecar}, {sidecar, standard}, {sidecar, plain}} {
			checkErrors(t, ValidatePodTemplateUpdate(template(pair[1]), template(pair[0]), PodValidationOptions{}), nil)
		}
	})
}
