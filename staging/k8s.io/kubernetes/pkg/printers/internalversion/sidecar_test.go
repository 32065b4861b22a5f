/*
Copyright The Sidecar Node Authors.

SPDX-License-Identifier: Apache-2.0
*/

package internalversion

import (
	"fmt"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	featuregatetesting "k8s.io/component-base/featuregate/testing"
	api "k8s.io/kubernetes/pkg/apis/core"
	"k8s.io/kubernetes/pkg/features"
	"k8s.io/kubernetes/pkg/printers"
	"k8s.io/utils/ptr"
)

func TestPrintPodWithSidecars(t *testing.T) {
	state := func(name string, ready bool, state api.ContainerState) api.ContainerStatus {
		return api.ContainerStatus{Name: name, Ready: ready, State: state}
	}
	waiting := func(name, reason string) api.ContainerStatus {
		return state(name, false, api.ContainerState{Waiting: &api.ContainerStateWaiting{Reason: reason}})
	}
	running := func(name string, ready bool) api.ContainerStatus {
		return state(name, ready, api.ContainerState{Running: &api.ContainerStateRunning{}})
	}
	terminated := func(name, reason string, code int32) api.ContainerStatus {
		return state(name, false, api.ContainerState{Terminated: &api.ContainerStateTerminated{Reason: reason, ExitCode: code}})
	}
	conditions := func(ready api.ConditionStatus) []api.PodCondition {
		return []api.PodCondition{
			{Type: api.PodInitialized, Status: api.ConditionTrue},
			{Type: api.PodReady, Status: ready},
		}
	}

	// Containers whose name starts with s are sidecars. The statuses are tried in the
	// given order and in the reverse one: the result may not depend on it.
	for _, tc := range []struct {
		name       string
		phase      api.PodPhase
		podReady   api.ConditionStatus
		deleted    bool
		statuses   []api.ContainerStatus
		wantReady  string
		wantReason string
	}{{
		name: "starting", phase: api.PodPending, podReady: api.ConditionFalse,
		statuses:  []api.ContainerStatus{waiting("app", "ContainerCreating"), waiting("s1", "ContainerCreating")},
		wantReady: "0/2", wantReason: "ContainerCreating",
	}, {
		name: "gated, sidecar running", phase: api.PodPending, podReady: api.ConditionFalse,
		statuses:  []api.ContainerStatus{waiting("app", "WaitingForSidecars"), running("s1", false)},
		wantReady: "0/2", wantReason: "WaitingForSidecars",
	}, {
		name: "gated, one sidecar ready, one being created", phase: api.PodPending, podReady: api.ConditionFalse,
		statuses:  []api.ContainerStatus{waiting("app", "WaitingForSidecars"), running("s1", true), waiting("s2", "ContainerCreating")},
		wantReady: "1/3", wantReason: "WaitingForSidecars",
	}, {
		name: "gated, sidecar crashing", phase: api.PodPending, podReady: api.ConditionFalse,
		statuses:  []api.ContainerStatus{waiting("app", "WaitingForSidecars"), waiting("s1", "CrashLoopBackOff")},
		wantReady: "0/2", wantReason: "WaitingForSidecars",
	}, {
		name: "running", phase: api.PodRunning, podReady: api.ConditionTrue,
		statuses:  []api.ContainerStatus{running("app", true), running("s1", true)},
		wantReady: "2/2", wantReason: "Running",
	}, {
		name: "running, sidecar not ready", phase: api.PodRunning, podReady: api.ConditionFalse,
		statuses:  []api.ContainerStatus{running("app", true), running("s1", false)},
		wantReady: "1/2", wantReason: "Running",
	}, {
		name: "running, sidecar crashing", phase: api.PodRunning, podReady: api.ConditionFalse,
		statuses:  []api.ContainerStatus{running("app", true), waiting("s1", "CrashLoopBackOff")},
		wantReady: "1/2", wantReason: "CrashLoopBackOff",
	}, {
		name: "running, sidecar exited with an error", phase: api.PodRunning, podReady: api.ConditionFalse,
		statuses:  []api.ContainerStatus{running("app", true), terminated("s1", "Error", 1)},
		wantReady: "1/2", wantReason: "Running",
	}, {
		name: "running, sidecar exited", phase: api.PodRunning, podReady: api.ConditionFalse,
		statuses:  []api.ContainerStatus{running("app", true), terminated("s1", "Completed", 0)},
		wantReady: "1/2", wantReason: "Running",
	}, {
		name: "gated, sidecar exited", phase: api.PodPending, podReady: api.ConditionFalse,
		statuses:  []api.ContainerStatus{waiting("app", "WaitingForSidecars"), terminated("s1", "Error", 1)},
		wantReady: "0/2", wantReason: "WaitingForSidecars",
	}, {
		name: "no app status yet", phase: api.PodPending, podReady: api.ConditionFalse,
		statuses:  []api.ContainerStatus{waiting("s1", "ContainerCreating")},
		wantReady: "0/1", wantReason: "Pending",
	}, {
		name: "app crashing, sidecar crashing", phase: api.PodRunning, podReady: api.ConditionFalse,
		statuses:  []api.ContainerStatus{waiting("app", "ImagePullBackOff"), waiting("s1", "CrashLoopBackOff")},
		wantReady: "0/2", wantReason: "ImagePullBackOff",
	}, {
		name: "one app completed, one running", phase: api.PodRunning, podReady: api.ConditionFalse,
		statuses:  []api.ContainerStatus{terminated("app", "Completed", 0), running("app2", true), running("s1", true)},
		wantReady: "2/3", wantReason: "NotReady",
	}, {
		name: "finishing, sidecar stopping", phase: api.PodRunning, podReady: api.ConditionFalse,
		statuses:  []api.ContainerStatus{terminated("app", "Completed", 0), running("s1", true)},
		wantReady: "1/2", wantReason: "Completed",
	}, {
		name: "finishing, the Ready condition not yet updated", phase: api.PodRunning, podReady: api.ConditionTrue,
		statuses:  []api.ContainerStatus{terminated("app", "Completed", 0), running("s1", true)},
		wantReady: "1/2", wantReason: "Completed",
	}, {
		name: "finishing, sidecar crashed", phase: api.PodRunning, podReady: api.ConditionFalse,
		statuses:  []api.ContainerStatus{terminated("app", "Completed", 0), waiting("s1", "CrashLoopBackOff")},
		wantReady: "0/2", wantReason: "Completed",
	}, {
		name: "finished, sidecar 0", phase: api.PodSucceeded, podReady: api.ConditionFalse,
		statuses:  []api.ContainerStatus{terminated("app", "Completed", 0), terminated("s1", "Completed", 0)},
		wantReady: "0/2", wantReason: "Completed",
	}, {
		name: "finished, sidecar 143", phase: api.PodSucceeded, podReady: api.ConditionFalse,
		statuses:  []api.ContainerStatus{terminated("app", "Completed", 0), terminated("s1", "Error", 143)},
		wantReady: "0/2", wantReason: "Completed",
	}, {
		name: "finished, sidecar killed for memory", phase: api.PodSucceeded, podReady: api.ConditionFalse,
		statuses:  []api.ContainerStatus{terminated("app", "Completed", 0), terminated("s1", "OOMKilled", 137)},
		wantReady: "0/2", wantReason: "Completed",
	}, {
		name: "failed, sidecar 0", phase: api.PodFailed, podReady: api.ConditionFalse,
		statuses:  []api.ContainerStatus{terminated("app", "Error", 1), terminated("s1", "Completed", 0)},
		wantReady: "0/2", wantReason: "Error",
	}, {
		name: "failed for memory, sidecar 143", phase: api.PodFailed, podReady: api.ConditionFalse,
		statuses:  []api.ContainerStatus{terminated("app", "OOMKilled", 137), terminated("s1", "Error", 143)},
		wantReady: "0/2", wantReason: "OOMKilled",
	}, {
		name: "one of two apps failed", phase: api.PodFailed, podReady: api.ConditionFalse,
		statuses:  []api.ContainerStatus{terminated("app", "Completed", 0), terminated("app2", "Error", 1), terminated("s1", "Completed", 0)},
		wantReady: "0/3", wantReason: "Error",
	}, {
		name: "between retries", phase: api.PodRunning, podReady: api.ConditionFalse,
		statuses:  []api.ContainerStatus{terminated("app", "Error", 1), running("s1", true)},
		wantReady: "1/2", wantReason: "Error",
	}, {
		name: "terminating", phase: api.PodRunning, podReady: api.ConditionFalse, deleted: true,
		statuses:  []api.ContainerStatus{terminated("app", "Completed", 0), running("s1", true)},
		wantReady: "1/2", wantReason: "Terminating",
	}, {
		name: "deleted after it finished", phase: api.PodSucceeded, podReady: api.ConditionFalse, deleted: true,
		statuses:  []api.ContainerStatus{terminated("app", "Completed", 0), terminated("s1", "Error", 143)},
		wantReady: "0/2", wantReason: "Completed",
	}} {
		for _, reverse := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, reverse %v", tc.name, reverse), func(t *testing.T) {
				featuregatetesting.SetFeatureGateDuringTest(t, utilfeature.DefaultFeatureGate, features.SidecarContainers, true)
				pod := &api.Pod{Status: api.PodStatus{Phase: tc.phase, Conditions: conditions(tc.podReady)}}
				if tc.deleted {
					pod.DeletionTimestamp = &metav1.Time{Time: time.Now()}
				}
				for i := range tc.statuses {
					status := tc.statuses[i]
					if reverse {
						status = tc.statuses[len(tc.statuses)-1-i]
					}
					container := api.Container{Name: status.Name}
					if status.Name[0] == 's' {
						container.Lifecycle = &api.Lifecycle{Type: ptr.To(api.LifecycleTypeSidecar)}
					}
					pod.Spec.Containers = append(pod.Spec.Containers, container)
					pod.Status.ContainerStatuses = append(pod.Status.ContainerStatuses, status)
				}
				checkPodRow(t, pod, tc.wantReady, tc.wantReason)
			})
		}
	}
}

func checkPodRow(t *testing.T, pod *api.Pod, wantReady, wantReason string) {
	t.Helper()
	rows, err := printPod(pod, printers.GenerateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if got := rows[0].Cells[1]; got != wantReady {
		t.Errorf("READY: got %v, want %v", got, wantReady)
	}
	if got := rows[0].Cells[2]; got != wantReason {
		t.Errorf("STATUS: got %v, want %v", got, wantReason)
	}
}

// With the gate off a sidecar is printed as the ordinary container that it then is.
func TestPrintPodWithSidecarsDisabled(t *testing.T) {
	featuregatetesting.SetFeatureGateDuringTest(t, utilfeature.DefaultFeatureGate, features.SidecarContainers, false)
	terminated := func(name, reason string, code int32) api.ContainerStatus {
		return api.ContainerStatus{Name: name, State: api.ContainerState{Terminated: &api.ContainerStateTerminated{Reason: reason, ExitCode: code}}}
	}
	pod := &api.Pod{
		Spec: api.PodSpec{Containers: []api.Container{
			{Name: "app"}, {Name: "s1", Lifecycle: &api.Lifecycle{Type: ptr.To(api.LifecycleTypeSidecar)}},
		}},
		Status: api.PodStatus{
			Phase:             api.PodFailed,
			ContainerStatuses: []api.ContainerStatus{terminated("app", "Completed", 0), terminated("s1", "Error", 143)},
		},
	}
	checkPodRow(t, pod, "0/2", "Error")
}
