/*
Copyright The Sidecar Node Authors.

SPDX-License-Identifier: Apache-2.0
*/

package kubelet

import (
	"testing"

	"github.com/stretchr/testify/assert"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	featuregatetesting "k8s.io/component-base/featuregate/testing"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/features"
	kubecontainer "k8s.io/kubernetes/pkg/kubelet/container"
	"k8s.io/kubernetes/pkg/kubelet/sidecar"
	"k8s.io/utils/ptr"
)

func makeSidecarPod(policy v1.RestartPolicy) *v1.Pod {
	return &v1.Pod{Spec: v1.PodSpec{RestartPolicy: policy, Containers: []v1.Container{
		{Name: "app"},
		{Name: "proxy", Lifecycle: &v1.Lifecycle{Type: ptr.To(v1.LifecycleTypeSidecar)}},
	}}}
}

func apiStatus(name string, state v1.ContainerState) v1.ContainerStatus {
	return v1.ContainerStatus{Name: name, State: state}
}

var (
	apiRunning = v1.ContainerState{Running: &v1.ContainerStateRunning{}}
	apiWaiting = v1.ContainerState{Waiting: &v1.ContainerStateWaiting{Reason: ContainerCreating}}
)

func apiExited(code int32) v1.ContainerState {
	return v1.ContainerState{Terminated: &v1.ContainerStateTerminated{ExitCode: code}}
}

func TestPodPhaseWithSidecars(t *testing.T) {
	waits := v1.ContainerState{Waiting: &v1.ContainerStateWaiting{Reason: sidecar.ReasonWaitingForSidecars}}
	for _, test := range []struct {
		name          string
		policy        v1.RestartPolicy
		app, proxy    v1.ContainerState
		appLast       v1.ContainerState
		podIsTerminal bool
		want          v1.PodPhase
	}{
		{name: "gated", policy: v1.RestartPolicyAlways, app: waits, proxy: apiRunning, want: v1.PodPending},
		{name: "gated, sidecar failed", policy: v1.RestartPolicyNever, app: waits, proxy: apiExited(1), want: v1.PodPending},
		{name: "gated in a new sandbox", policy: v1.RestartPolicyAlways, app: waits, appLast: apiExited(137), proxy: apiRunning, want: v1.PodPending},
		{name: "running", policy: v1.RestartPolicyAlways, app: apiRunning, proxy: apiRunning, want: v1.PodRunning},
		{name: "sidecar waiting beside the app", policy: v1.RestartPolicyAlways, app: apiRunning, proxy: apiWaiting, want: v1.PodRunning},
		{name: "sidecar failed beside the app, Never", policy: v1.RestartPolicyNever, app: apiRunning, proxy: apiExited(1), want: v1.PodRunning},
		{name: "app succeeded, sidecar runs, Never", policy: v1.RestartPolicyNever, app: apiExited(0), proxy: apiRunning, want: v1.PodSucceeded},
		{name: "app succeeded, sidecar 143, Never", policy: v1.RestartPolicyNever, app: apiExited(0), proxy: apiExited(143), want: v1.PodSucceeded},
		{name: "app succeeded, sidecar 137, OnFailure", policy: v1.RestartPolicyOnFailure, app: apiExited(0), proxy: apiExited(137), want: v1.PodSucceeded},
		{name: "app succeeded, sidecar waiting, OnFailure", policy: v1.RestartPolicyOnFailure, app: apiExited(0), proxy: apiWaiting, want: v1.PodSucceeded},
		{name: "app failed, sidecar 0, Never", policy: v1.RestartPolicyNever, app: apiExited(1), proxy: apiExited(0), want: v1.PodFailed},
		{name: "app failed, is retried", policy: v1.RestartPolicyOnFailure, app: apiExited(1), proxy: apiRunning, want: v1.PodRunning},
		{name: "app ended, Always", policy: v1.RestartPolicyAlways, app: apiExited(0), proxy: apiRunning, want: v1.PodRunning},
		{name: "terminated, app 0, sidecar 137", policy: v1.RestartPolicyAlways, app: apiExited(0), proxy: apiExited(137), podIsTerminal: true, want: v1.PodSucceeded},
		{name: "terminated, app 1, sidecar 0", policy: v1.RestartPolicyAlways, app: apiExited(1), proxy: apiExited(0), podIsTerminal: true, want: v1.PodFailed},
	} {
		t.Run(test.name, func(t *testing.T) {
			featuregatetesting.SetFeatureGateDuringTest(t, utilfeature.DefaultFeatureGate, features.SidecarContainers, true)
			app := apiStatus("app", test.app)
			app.LastTerminationState = test.appLast
			statuses := []v1.ContainerStatus{app, apiStatus("proxy", test.proxy)}
			assert.Equal(t, test.want, getPhase(klog.Background(), makeSidecarPod(test.policy), statuses, test.podIsTerminal, true))
		})
	}
	featuregatetesting.SetFeatureGateDuringTest(t, utilfeature.DefaultFeatureGate, features.SidecarContainers, false)
	statuses := []v1.ContainerStatus{apiStatus("app", apiExited(0)), apiStatus("proxy", apiRunning)}
	assert.Equal(t, v1.PodRunning, getPhase(klog.Background(), makeSidecarPod(v1.RestartPolicyNever), statuses, false, true), "gate off")
}

func TestKeepCgroupsOfOrderedPod(t *testing.T) {
	for _, test := range []struct {
		name    string
		stages  []int
		gateOff bool
		want    bool
	}{
		{name: "no sidecar", stages: []int{0, 0}},
		{name: "a sidecar", stages: []int{0, 1}, want: true},
		{name: "sidecars are left", stages: []int{1}, want: true},
		{name: "gate off", stages: []int{0, 1}, gateOff: true},
	} {
		t.Run(test.name, func(t *testing.T) {
			featuregatetesting.SetFeatureGateDuringTest(t, utilfeature.DefaultFeatureGate, features.SidecarContainers, !test.gateOff)
			pod := &kubecontainer.Pod{ID: "pod"}
			for _, stage := range test.stages {
				pod.Containers = append(pod.Containers, &kubecontainer.Container{ShutdownStage: stage})
			}
			possiblyRunning := map[types.UID]sets.Empty{"other": {}}
			keepCgroupsOfOrderedPod(possiblyRunning, pod)
			_, kept := possiblyRunning["pod"]
			assert.Equal(t, test.want, kept)
		})
	}
}

func TestMarkWaitingForSidecars(t *testing.T) {
	created := func(name string, state kubecontainer.State) *kubecontainer.Status {
		return &kubecontainer.Status{
			Name: name, ID: kubecontainer.ContainerID{ID: name}, State: state,
			Hash: kubecontainer.HashContainer(&v1.Container{Name: name}),
		}
	}
	for _, test := range []struct {
		name          string
		policy        v1.RestartPolicy
		mutatePod     func(*v1.Pod)
		all, active   []*kubecontainer.Status
		app           v1.ContainerState
		init          []v1.ContainerStatus
		podIsTerminal bool
		gateOff       bool
		waits         bool
		last          bool
	}{
		{name: "nothing created", app: apiWaiting, waits: true},
		{name: "sidecar unready", app: apiWaiting, mutatePod: func(pod *v1.Pod) { pod.Spec.Containers[1].ReadinessProbe = &v1.Probe{} }, active: []*kubecontainer.Status{created("proxy", kubecontainer.ContainerStateRunning)}, waits: true},
		{name: "postStart of the sidecar not known to have succeeded", app: apiWaiting, mutatePod: func(pod *v1.Pod) { pod.Spec.Containers[1].Lifecycle.PostStart = &v1.LifecycleHandler{} }, active: []*kubecontainer.Status{created("proxy", kubecontainer.ContainerStateRunning)}, waits: true},
		{name: "image of the sidecar changed", app: apiWaiting, mutatePod: func(pod *v1.Pod) { pod.Spec.Containers[1].Image = "new" }, active: []*kubecontainer.Status{created("proxy", kubecontainer.ContainerStateRunning)}, waits: true},
		{name: "sidecar ready", app: apiWaiting, active: []*kubecontainer.Status{created("proxy", kubecontainer.ContainerStateRunning)}},
		{name: "app runs", app: apiRunning, active: []*kubecontainer.Status{created("app", kubecontainer.ContainerStateRunning)}},
		{name: "app in back-off", app: v1.ContainerState{Waiting: &v1.ContainerStateWaiting{Reason: "CrashLoopBackOff"}}, active: []*kubecontainer.Status{created("app", kubecontainer.ContainerStateExited)}},
		{name: "app ran in an earlier sandbox", policy: v1.RestartPolicyAlways, app: apiExited(137), all: []*kubecontainer.Status{created("app", kubecontainer.ContainerStateExited)}, waits: true, last: true},
		{name: "app ran in an earlier sandbox, Never", policy: v1.RestartPolicyNever, app: apiExited(137), all: []*kubecontainer.Status{created("app", kubecontainer.ContainerStateExited)}},
		{name: "app ended, pod is terminal", policy: v1.RestartPolicyAlways, app: apiExited(137), all: []*kubecontainer.Status{created("app", kubecontainer.ContainerStateExited)}, podIsTerminal: true},
		{name: "init container runs", app: apiWaiting, mutatePod: func(pod *v1.Pod) { pod.Spec.InitContainers = []v1.Container{{Name: "init"}} }, init: []v1.ContainerStatus{apiStatus("init", apiRunning)}},
		{name: "init container done", app: apiWaiting, mutatePod: func(pod *v1.Pod) { pod.Spec.InitContainers = []v1.Container{{Name: "init"}} }, init: []v1.ContainerStatus{apiStatus("init", apiExited(0))}, waits: true},
		{name: "gate off", app: apiWaiting, gateOff: true},
	} {
		t.Run(test.name, func(t *testing.T) {
			featuregatetesting.SetFeatureGateDuringTest(t, utilfeature.DefaultFeatureGate, features.SidecarContainers, !test.gateOff)
			testKubelet := newTestKubelet(t, false)
			defer testKubelet.Cleanup()
			pod := makeSidecarPod(test.policy)
			if test.mutatePod != nil {
				test.mutatePod(pod)
			}
			podStatus := &kubecontainer.PodStatus{ContainerStatuses: append(test.all, test.active...), ActiveContainerStatuses: test.active}
			status := &v1.PodStatus{
				ContainerStatuses:     []v1.ContainerStatus{apiStatus("app", test.app), apiStatus("proxy", apiWaiting)},
				InitContainerStatuses: test.init,
			}

			testKubelet.kubelet.markWaitingForSidecars(klog.Background(), pod, podStatus, status, test.podIsTerminal)

			app := status.ContainerStatuses[0]
			assert.Equal(t, test.waits, waitsForSidecars(&app), "%+v", app.State)
			if test.waits {
				assert.Equal(t, "waiting for sidecars to become ready: proxy", app.State.Waiting.Message)
			} else {
				assert.Equal(t, test.app, app.State)
			}
			assert.Equal(t, test.last, app.LastTerminationState.Terminated != nil)
			assert.Equal(t, apiWaiting, status.ContainerStatuses[1].State, "sidecars keep their state")
		})
	}
}
