/*
Copyright The Sidecar Node Authors.

SPDX-License-Identifier: Apache-2.0
*/

package validation

import (
	"testing"

	"k8s.io/apimachinery/pkg/util/validation/field"
	podtest "k8s.io/kubernetes/pkg/api/pod/testing"
	"k8s.io/kubernetes/pkg/apis/core"
)

func TestValidateSidecarStateTransition(t *testing.T) {
	running := core.ContainerState{Running: &core.ContainerStateRunning{}}
	waiting := core.ContainerState{Waiting: &core.ContainerStateWaiting{Reason: "CrashLoopBackOff"}}
	terminated := func(exitCode int32) core.ContainerState {
		return core.ContainerState{Terminated: &core.ContainerStateTerminated{ExitCode: exitCode}}
	}
	containers := []core.Container{podtest.MakeContainer("app"), withLifecycleType("proxy", core.LifecycleTypeSidecar)}
	const forbidden = `containerStatuses[0].state: Forbidden: may not be transitioned to non-terminated state`

	for _, tc := range []struct {
		name          string
		restartPolicy core.RestartPolicy
		container     string
		old, new      core.ContainerState
		want          []string
	}{
		{name: "sidecar restarted after failure", restartPolicy: core.RestartPolicyNever, container: "proxy", old: terminated(1), new: running},
		{name: "sidecar restarted after success", restartPolicy: core.RestartPolicyNever, container: "proxy", old: terminated(0), new: running},
		{name: "sidecar backs off", restartPolicy: core.RestartPolicyNever, container: "proxy", old: terminated(137), new: waiting},
		{name: "sidecar restarted after failure", restartPolicy: core.RestartPolicyOnFailure, container: "proxy", old: terminated(1), new: running},
		{name: "sidecar restarted after success", restartPolicy: core.RestartPolicyOnFailure, container: "proxy", old: terminated(0), new: running},
		{name: "app after failure", restartPolicy: core.RestartPolicyNever, container: "app", old: terminated(1), new: running, want: []string{forbidden}},
		{name: "app after success", restartPolicy: core.RestartPolicyOnFailure, container: "app", old: terminated(0), new: running, want: []string{forbidden}},
		{name: "app restarted after failure", restartPolicy: core.RestartPolicyOnFailure, container: "app", old: terminated(1), new: running},
		{name: "container that is not in the spec", restartPolicy: core.RestartPolicyNever, container: "gone", old: terminated(1), new: running, want: []string{forbidden}},
	} {
		for _, withRules := range []bool{false, true} {
			t.Run(tc.name+", "+string(tc.restartPolicy), func(t *testing.T) {
				spec := podtest.MakePodSpec(podtest.SetContainers(containers...), podtest.SetRestartPolicy(tc.restartPolicy))
				oldStatuses := []core.ContainerStatus{{Name: tc.container, State: tc.old}}
				newStatuses := []core.ContainerStatus{{Name: tc.container, State: tc.new}}
				opts := PodValidationOptions{AllowContainerRestartPolicyRules: withRules, AllowRestartAllContainers: withRules}
				checkErrors(t, ValidateContainerStateTransition(newStatuses, oldStatuses, field.NewPath("containerStatuses"), spec, opts), tc.want)
			})
		}
	}
}
