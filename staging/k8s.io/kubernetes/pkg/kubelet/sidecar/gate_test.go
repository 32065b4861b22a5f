/*
Copyright The Sidecar Node Authors.

SPDX-License-Identifier: Apache-2.0
*/

package sidecar

import (
	"testing"

	"github.com/stretchr/testify/assert"
	v1 "k8s.io/api/core/v1"
	kubecontainer "k8s.io/kubernetes/pkg/kubelet/container"
	proberesults "k8s.io/kubernetes/pkg/kubelet/prober/results"
	"k8s.io/utils/ptr"
)

func sidecarContainer(name string) v1.Container {
	return v1.Container{Name: name, Lifecycle: &v1.Lifecycle{Type: ptr.To(v1.LifecycleTypeSidecar)}}
}

func running(name string) *kubecontainer.Status {
	return &kubecontainer.Status{
		Name: name, ID: kubecontainer.ContainerID{ID: name + "-id"}, State: kubecontainer.ContainerStateRunning,
		Hash: kubecontainer.HashContainer(&v1.Container{Name: name}),
	}
}

func outdated(name string) *kubecontainer.Status {
	s := running(name)
	s.Hash++
	return s
}

func inState(name string, state kubecontainer.State) *kubecontainer.Status {
	s := running(name)
	s.State = state
	return s
}

func TestGate(t *testing.T) {
	type results map[string]proberesults.Result
	probe := &v1.Probe{}
	for _, test := range []struct {
		name string
		// startup and readiness say which probes sidecar "b" has
		startup, readiness bool
		// postStart says that it has a hook, and hooks whose hooks have succeeded
		postStart      bool
		hooks          []string
		active, others []*kubecontainer.Status
		startups       results
		readinesses    results
		notReady       []string
		passed         bool
	}{
		{name: "nothing created", notReady: []string{"a", "b"}},
		{name: "one created only", active: []*kubecontainer.Status{inState("a", kubecontainer.ContainerStateCreated), running("b")}, notReady: []string{"a"}},
		{name: "one running", active: []*kubecontainer.Status{running("b")}, notReady: []string{"a"}},
		{name: "one exited", active: []*kubecontainer.Status{inState("a", kubecontainer.ContainerStateExited), running("b")}, notReady: []string{"a"}},
		{name: "one unknown", active: []*kubecontainer.Status{inState("a", kubecontainer.ContainerStateUnknown), running("b")}, notReady: []string{"a"}},
		{name: "no probes, all running", active: []*kubecontainer.Status{running("a"), running("b")}},
		{name: "startup probe without result", startup: true, active: []*kubecontainer.Status{running("a"), running("b")}, notReady: []string{"b"}},
		{name: "startup probe failed", startup: true, active: []*kubecontainer.Status{running("a"), running("b")}, startups: results{"b-id": proberesults.Failure}, notReady: []string{"b"}},
		{name: "startup probe unknown", startup: true, active: []*kubecontainer.Status{running("a"), running("b")}, startups: results{"b-id": proberesults.Unknown}, notReady: []string{"b"}},
		{name: "startup probe passed", startup: true, active: []*kubecontainer.Status{running("a"), running("b")}, startups: results{"b-id": proberesults.Success}},
		{name: "readiness probe without result", readiness: true, active: []*kubecontainer.Status{running("a"), running("b")}, notReady: []string{"b"}},
		{name: "readiness probe failed", readiness: true, active: []*kubecontainer.Status{running("a"), running("b")}, readinesses: results{"b-id": proberesults.Failure}, notReady: []string{"b"}},
		{name: "readiness probe passed", readiness: true, active: []*kubecontainer.Status{running("a"), running("b")}, readinesses: results{"b-id": proberesults.Success}},
		{name: "both, startup passed only", startup: true, readiness: true, active: []*kubecontainer.Status{running("a"), running("b")}, startups: results{"b-id": proberesults.Success}, notReady: []string{"b"}},
		{name: "both passed", startup: true, readiness: true, active: []*kubecontainer.Status{running("a"), running("b")}, startups: results{"b-id": proberesults.Success}, readinesses: results{"b-id": proberesults.Success}},
		{name: "result of an earlier container", readiness: true, active: []*kubecontainer.Status{running("a"), running("b")}, readinesses: results{"old-id": proberesults.Success}, notReady: []string{"b"}},
		{name: "runs with an image that was changed since", active: []*kubecontainer.Status{running("a"), outdated("b")}, notReady: []string{"b"}},
		{name: "new image, the old container has passed its probe", readiness: true, active: []*kubecontainer.Status{running("a"), outdated("b")}, readinesses: results{"b-id": proberesults.Success}, notReady: []string{"b"}},
		{name: "hook not known to have succeeded", postStart: true, active: []*kubecontainer.Status{running("a"), running("b")}, notReady: []string{"b"}},
		{name: "hook of an earlier container has succeeded", postStart: true, active: []*kubecontainer.Status{running("a"), running("b")}, hooks: []string{"old-id"}, notReady: []string{"b"}},
		{name: "hook has succeeded", postStart: true, active: []*kubecontainer.Status{running("a"), running("b")}, hooks: []string{"b-id"}},
		{name: "hook has succeeded, probe has not", postStart: true, readiness: true, active: []*kubecontainer.Status{running("a"), running("b")}, hooks: []string{"b-id"}, notReady: []string{"b"}},
		{name: "app created, sidecars down", active: []*kubecontainer.Status{inState("app", kubecontainer.ContainerStateCreated)}, passed: true},
		{name: "app in back-off, sidecar unready", readiness: true, active: []*kubecontainer.Status{inState("app", kubecontainer.ContainerStateExited), running("a"), running("b")}, passed: true},
		{name: "all ran in an earlier sandbox", others: []*kubecontainer.Status{running("a"), running("b"), inState("app", kubecontainer.ContainerStateExited)}, notReady: []string{"a", "b"}},
		{name: "ephemeral container does not count", active: []*kubecontainer.Status{running("debug")}, notReady: []string{"a", "b"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			pod := &v1.Pod{Spec: v1.PodSpec{Containers: []v1.Container{{Name: "app"}, sidecarContainer("a"), sidecarContainer("b")}}}
			pod.UID = "pod"
			// What the API says must not matter.
			for _, c := range pod.Spec.Containers {
				pod.Status.ContainerStatuses = append(pod.Status.ContainerStatuses, v1.ContainerStatus{Name: c.Name, Ready: true, Started: ptr.To(true)})
			}
			var memory Memory
			if test.postStart {
				pod.Spec.Containers[2].Lifecycle.PostStart = &v1.LifecycleHandler{}
			}
			for _, id := range test.hooks {
				memory.PostStartSucceeded(pod.UID, kubecontainer.ContainerID{ID: id})
			}
			pod.Spec.EphemeralContainers = []v1.EphemeralContainer{{EphemeralContainerCommon: v1.EphemeralContainerCommon{Name: "debug"}}}
			if test.startup {
				pod.Spec.Containers[2].StartupProbe = probe
			}
			if test.readiness {
				pod.Spec.Containers[2].ReadinessProbe = probe
			}
			startup, readiness := proberesults.NewManager(), proberesults.NewManager()
			for id, result := range test.startups {
				startup.Set(kubecontainer.ContainerID{ID: id}, result, pod)
			}
			for id, result := range test.readinesses {
				readiness.Set(kubecontainer.ContainerID{ID: id}, result, pod)
			}
			status := &kubecontainer.PodStatus{
				ContainerStatuses:       append(append([]*kubecontainer.Status{}, test.active...), test.others...),
				ActiveContainerStatuses: test.active,
			}
			gate := NewGate(pod, status, Checks{Startup: startup, Readiness: readiness, Memory: &memory})
			assert.Equal(t, test.notReady, gate.NotReady)
			assert.Equal(t, test.passed, gate.Passed)
			assert.Equal(t, test.passed || len(test.notReady) == 0, gate.Open())
		})
	}
}

func TestGateMessage(t *testing.T) {
	assert.Equal(t, "waiting for sidecars to become ready: proxy, shipper", Gate{NotReady: []string{"proxy", "shipper"}}.Message())
}
