/*
Copyright The Sidecar Node Authors.

SPDX-License-Identifier: Apache-2.0
*/

package container

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	featuregatetesting "k8s.io/component-base/featuregate/testing"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/features"
	"k8s.io/utils/ptr"
)

func TestShouldSidecarBeRestarted(t *testing.T) {
	state := func(state State, exitCode int) *Status { return &Status{State: state, ExitCode: exitCode} }
	for _, test := range []struct {
		name         string
		policy       v1.RestartPolicy
		app, sidecar *Status
		deleted      bool
		gateOff      bool
		want         bool
	}{
		{name: "never created", policy: v1.RestartPolicyNever, want: true},
		{name: "running", policy: v1.RestartPolicyAlways, sidecar: state(ContainerStateRunning, 0), want: false},
		{name: "exited 0 before the app", policy: v1.RestartPolicyNever, sidecar: state(ContainerStateExited, 0), want: true},
		{name: "exited 0, app runs, Never", policy: v1.RestartPolicyNever, app: state(ContainerStateRunning, 0), sidecar: state(ContainerStateExited, 0), want: true},
		{name: "exited 0, app runs, OnFailure", policy: v1.RestartPolicyOnFailure, app: state(ContainerStateRunning, 0), sidecar: state(ContainerStateExited, 0), want: true},
		{name: "exited 1, app runs, Never", policy: v1.RestartPolicyNever, app: state(ContainerStateRunning, 0), sidecar: state(ContainerStateExited, 1), want: true},
		{name: "created", policy: v1.RestartPolicyNever, app: state(ContainerStateRunning, 0), sidecar: state(ContainerStateCreated, 0), want: true},
		{name: "exited 1, app failed and is retried", policy: v1.RestartPolicyOnFailure, app: state(ContainerStateExited, 1), sidecar: state(ContainerStateExited, 1), want: true},
		{name: "exited 1, app failed for good", policy: v1.RestartPolicyNever, app: state(ContainerStateExited, 1), sidecar: state(ContainerStateExited, 1), want: false},
		{name: "exited 1, app succeeded, OnFailure", policy: v1.RestartPolicyOnFailure, app: state(ContainerStateExited, 0), sidecar: state(ContainerStateExited, 1), want: false},
		{name: "exited 1, app succeeded, Always", policy: v1.RestartPolicyAlways, app: state(ContainerStateExited, 0), sidecar: state(ContainerStateExited, 1), want: true},
		{name: "never created, app succeeded", policy: v1.RestartPolicyNever, app: state(ContainerStateExited, 0), want: false},
		{name: "unknown, app succeeded", policy: v1.RestartPolicyNever, app: state(ContainerStateExited, 0), sidecar: state(ContainerStateUnknown, 0), want: false},
		{name: "deleted", policy: v1.RestartPolicyAlways, app: state(ContainerStateRunning, 0), sidecar: state(ContainerStateExited, 1), deleted: true, want: false},
		{name: "gate off, Never", policy: v1.RestartPolicyNever, app: state(ContainerStateRunning, 0), sidecar: state(ContainerStateExited, 1), gateOff: true, want: false},
		{name: "gate off, app succeeded, Always", policy: v1.RestartPolicyAlways, app: state(ContainerStateExited, 0), sidecar: state(ContainerStateExited, 0), gateOff: true, want: true},
	} {
		t.Run(test.name, func(t *testing.T) {
			featuregatetesting.SetFeatureGateDuringTest(t, utilfeature.DefaultFeatureGate, features.SidecarContainers, !test.gateOff)
			pod := &v1.Pod{Spec: v1.PodSpec{RestartPolicy: test.policy, Containers: []v1.Container{
				{Name: "sidecar", Lifecycle: &v1.Lifecycle{Type: ptr.To(v1.LifecycleTypeSidecar)}},
				{Name: "app"},
			}}}
			if test.deleted {
				pod.DeletionTimestamp = &metav1.Time{Time: time.Now()}
			}
			podStatus := &PodStatus{}
			for name, s := range map[string]*Status{"app": test.app, "sidecar": test.sidecar} {
				if s != nil {
					s.Name = name
					podStatus.ContainerStatuses = append(podStatus.ContainerStatuses, s)
				}
			}
			assert.Equal(t, test.want, ShouldContainerBeRestarted(klog.Background(), &pod.Spec.Containers[0], pod, podStatus))
		})
	}
}
