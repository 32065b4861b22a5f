/*
Copyright The Sidecar Node Authors.

SPDX-License-Identifier: Apache-2.0
*/

package job

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	batch "k8s.io/api/batch/v1"
	v1 "k8s.io/api/core/v1"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	featuregatetesting "k8s.io/component-base/featuregate/testing"
	"k8s.io/kubernetes/pkg/features"
	"k8s.io/utils/ptr"
)

// sidecarPod returns a pod with the containers app and proxy, the second a sidecar,
// and with the given statuses.
func sidecarPod(phase v1.PodPhase, statuses ...v1.ContainerStatus) *v1.Pod {
	pod := &v1.Pod{
		Spec: v1.PodSpec{Containers: []v1.Container{
			{Name: "app"},
			{Name: "proxy", Lifecycle: &v1.Lifecycle{Type: ptr.To(v1.LifecycleTypeSidecar)}},
		}},
		Status: v1.PodStatus{Phase: phase, ContainerStatuses: statuses},
	}
	pod.Name, pod.Namespace = "mypod", "default"
	return pod
}

func restarted(name string, count int32) v1.ContainerStatus {
	return v1.ContainerStatus{Name: name, RestartCount: count}
}

func exited(name string, code int32) v1.ContainerStatus {
	return v1.ContainerStatus{Name: name, State: v1.ContainerState{Terminated: &v1.ContainerStateTerminated{ExitCode: code}}}
}

func TestPastBackoffLimitOnFailureWithSidecars(t *testing.T) {
	for _, tc := range []struct {
		name         string
		backoffLimit int32
		pods         []*v1.Pod
		want         bool // with the gate on
		wantDisabled bool
	}{{
		name:         "restarts of the sidecar",
		backoffLimit: 2,
		pods:         []*v1.Pod{sidecarPod(v1.PodRunning, restarted("app", 0), restarted("proxy", 5))},
		want:         false, wantDisabled: true,
	}, {
		name:         "restarts of the sidecar, limit 0",
		backoffLimit: 0,
		pods:         []*v1.Pod{sidecarPod(v1.PodRunning, restarted("proxy", 1), restarted("app", 0))},
		want:         false, wantDisabled: true,
	}, {
		name:         "restarts while the start waits for the sidecar",
		backoffLimit: 2,
		pods:         []*v1.Pod{sidecarPod(v1.PodPending, restarted("proxy", 3), restarted("app", 0))},
		want:         false, wantDisabled: true,
	}, {
		name:         "restarts of the app below the limit",
		backoffLimit: 2,
		pods:         []*v1.Pod{sidecarPod(v1.PodRunning, restarted("app", 1), restarted("proxy", 1))},
		want:         false, wantDisabled: true,
	}, {
		name:         "restarts of the app",
		backoffLimit: 2,
		pods:         []*v1.Pod{sidecarPod(v1.PodRunning, restarted("proxy", 0), restarted("app", 2))},
		want:         true, wantDisabled: true,
	}, {
		name:         "restarts of apps in several pods",
		backoffLimit: 2,
		pods: []*v1.Pod{
			sidecarPod(v1.PodRunning, restarted("app", 1), restarted("proxy", 7)),
			sidecarPod(v1.PodRunning, restarted("app", 1)),
		},
		want: true, wantDisabled: true,
	}} {
		for _, enabled := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, gate %v", tc.name, enabled), func(t *testing.T) {
				featuregatetesting.SetFeatureGateDuringTest(t, utilfeature.DefaultFeatureGate, features.SidecarContainers, enabled)
				job := &batch.Job{Spec: batch.JobSpec{BackoffLimit: &tc.backoffLimit}}
				job.Spec.Template.Spec.RestartPolicy = v1.RestartPolicyOnFailure
				want := tc.wantDisabled
				if enabled {
					want = tc.want
				}
				if got := pastBackoffLimitOnFailure(job, tc.pods); got != want {
					t.Errorf("got %v, want %v", got, want)
				}
			})
		}
	}
}

func TestMatchPodFailurePolicyWithSidecars(t *testing.T) {
	rule := func(containerName *string, operator batch.PodFailurePolicyOnExitCodesOperator, codes ...int32) *batch.PodFailurePolicy {
		return &batch.PodFailurePolicy{Rules: []batch.PodFailurePolicyRule{{
			Action:      batch.PodFailurePolicyActionFailJob,
			OnExitCodes: &batch.PodFailurePolicyOnExitCodesRequirement{ContainerName: containerName, Operator: operator, Values: codes},
		}}}
	}
	const in, notIn = batch.PodFailurePolicyOnExitCodesOpIn, batch.PodFailurePolicyOnExitCodesOpNotIn

	withInit := sidecarPod(v1.PodFailed, exited("app", 0), exited("proxy", 0))
	withInit.Status.InitContainerStatuses = []v1.ContainerStatus{exited("init", 42)}

	for _, tc := range []struct {
		name         string
		policy       *batch.PodFailurePolicy
		pod          *v1.Pod
		want         bool // with the gate on
		wantDisabled bool
	}{{
		name:   "code of the sidecar",
		policy: rule(nil, in, 143),
		pod:    sidecarPod(v1.PodFailed, exited("app", 1), exited("proxy", 143)),
		want:   false, wantDisabled: true,
	}, {
		name:   "code of the sidecar, first in the list",
		policy: rule(nil, in, 143),
		pod:    sidecarPod(v1.PodFailed, exited("proxy", 143), exited("app", 1)),
		want:   false, wantDisabled: true,
	}, {
		name:   "code of the sidecar is another one than excepted",
		policy: rule(nil, notIn, 1),
		pod:    sidecarPod(v1.PodFailed, exited("app", 1), exited("proxy", 137)),
		want:   false, wantDisabled: true,
	}, {
		name:   "code of the named sidecar",
		policy: rule(ptr.To("proxy"), in, 143),
		pod:    sidecarPod(v1.PodFailed, exited("app", 1), exited("proxy", 143)),
		want:   true, wantDisabled: true,
	}, {
		name:   "code of the named app",
		policy: rule(ptr.To("app"), in, 143),
		pod:    sidecarPod(v1.PodFailed, exited("app", 1), exited("proxy", 143)),
		want:   false, wantDisabled: false,
	}, {
		name:   "code of the app",
		policy: rule(nil, in, 42),
		pod:    sidecarPod(v1.PodFailed, exited("proxy", 143), exited("app", 42)),
		want:   true, wantDisabled: true,
	}, {
		name:   "code of an init container",
		policy: rule(nil, in, 42),
		pod:    withInit,
		want:   true, wantDisabled: true,
	}} {
		for _, enabled := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, gate %v", tc.name, enabled), func(t *testing.T) {
				featuregatetesting.SetFeatureGateDuringTest(t, utilfeature.DefaultFeatureGate, features.SidecarContainers, enabled)
				want := tc.wantDisabled
				if enabled {
					want = tc.want
				}
				before := tc.pod.DeepCopy()
				message, _, action := matchPodFailurePolicy(tc.policy, tc.pod)
				if got := message != nil; got != want {
					t.Errorf("got a failure message: %v, want %v", got, want)
				}
				if got := action != nil; got != want {
					t.Errorf("got an action: %v, want %v", got, want)
				}
				if diff := cmp.Diff(before, tc.pod); diff != "" {
					t.Errorf("the pod was changed (-before +after):\n%s", diff)
				}
			})
		}
	}
}
