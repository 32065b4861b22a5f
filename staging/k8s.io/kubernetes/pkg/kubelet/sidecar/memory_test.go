/*
Copyright The Sidecar Node Authors.

SPDX-License-Identifier: Apache-2.0
*/

package sidecar

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	v1 "k8s.io/api/core/v1"
	kubecontainer "k8s.io/kubernetes/pkg/kubelet/container"
)

func TestInterruptedPostStartHooks(t *testing.T) {
	hooked := func(name string) v1.Container {
		c := sidecarContainer(name)
		c.Lifecycle.PostStart = &v1.LifecycleHandler{}
		return c
	}
	appWithHook := v1.Container{Name: "app", Lifecycle: &v1.Lifecycle{PostStart: &v1.LifecycleHandler{}}}
	for _, test := range []struct {
		name           string
		active, others []*kubecontainer.Status
		succeeded      []string
		want           []string
	}{
		{name: "nothing runs"},
		{name: "both run", active: []*kubecontainer.Status{running("a"), running("b"), running("plain")}, want: []string{"a-id", "b-id"}},
		{name: "one has succeeded", active: []*kubecontainer.Status{running("a"), running("b")}, succeeded: []string{"a-id"}, want: []string{"b-id"}},
		{name: "one is down", active: []*kubecontainer.Status{inState("a", kubecontainer.ContainerStateExited), running("b")}, want: []string{"b-id"}},
		{name: "one is about to be replaced", active: []*kubecontainer.Status{outdated("a"), running("b")}, want: []string{"b-id"}},
		{name: "an earlier sandbox", others: []*kubecontainer.Status{running("a"), running("b")}},
		{name: "the app has been started", active: []*kubecontainer.Status{running("a"), running("b"), running("app")}},
		{name: "the app has failed", active: []*kubecontainer.Status{running("a"), running("b"), inState("app", kubecontainer.ContainerStateExited)}},
	} {
		t.Run(test.name, func(t *testing.T) {
			pod := &v1.Pod{Spec: v1.PodSpec{Containers: []v1.Container{hooked("a"), appWithHook, hooked("b"), sidecarContainer("plain")}}}
			pod.UID = "pod"
			var memory Memory
			for _, id := range test.succeeded {
				memory.PostStartSucceeded(pod.UID, kubecontainer.ContainerID{ID: id})
			}
			status := &kubecontainer.PodStatus{ContainerStatuses: append(append([]*kubecontainer.Status{}, test.active...), test.others...), ActiveContainerStatuses: test.active}
			var got []string
			for container, id := range memory.Interrupted(pod, status) {
				assert.Equal(t, container.Name+"-id", id.ID)
				got = append(got, id.ID)
			}
			assert.ElementsMatch(t, test.want, got)
		})
	}
}

func TestForgetPostStartHooks(t *testing.T) {
	container := sidecarContainer("a")
	container.Lifecycle.PostStart = &v1.LifecycleHandler{}
	pod, other := &v1.Pod{}, &v1.Pod{}
	pod.UID, other.UID = "pod", "other"
	id := kubecontainer.ContainerID{ID: "a-id"}
	var memory Memory
	memory.Forget(pod.UID)
	memory.PostStartSucceeded(pod.UID, id)
	memory.PostStartSucceeded(other.UID, id)
	memory.Forget(pod.UID)
	assert.False(t, memory.passedPostStart(pod, &container, id))
	assert.True(t, memory.passedPostStart(other, &container, id))
	var none *Memory
	assert.False(t, none.passedPostStart(pod, &container, id))
}

func TestMemoryOfTheFirstSidecars(t *testing.T) {
	base := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	at := func(s *kubecontainer.Status, seconds int) *kubecontainer.Status {
		s.CreatedAt = base.Add(time.Duration(seconds) * time.Second)
		return s
	}
	pod := &v1.Pod{Spec: v1.PodSpec{Containers: []v1.Container{{Name: "app"}, sidecarContainer("a"), sidecarContainer("b")}}}
	pod.UID = "pod"
	status := func(active ...*kubecontainer.Status) *kubecontainer.PodStatus {
		return &kubecontainer.PodStatus{ActiveContainerStatuses: active}
	}
	var memory Memory
	memory.Observe(pod, "sandbox", status(at(running("b"), 2), at(running("a"), 3), at(running("app"), 1)))
	// The first container of b has been restarted, and removed since then.
	memory.Observe(pod, "sandbox", status(at(inState("b", kubecontainer.ContainerStateExited), 60), at(running("b"), 90), at(running("a"), 3)))
	opens, first, last := memory.Opens(pod.UID)
	assert.True(t, opens)
	assert.Equal(t, base.Add(2*time.Second), first)
	assert.Equal(t, base.Add(3*time.Second), last)
	memory.Observe(pod, "sandbox", status(at(running("a"), 3)))
	opens, _, _ = memory.Opens(pod.UID)
	assert.False(t, opens, "an app container that could not be created is tried again")

	memory.Observe(pod, "new sandbox", status(at(running("a"), 200), at(running("b"), 201)))
	opens, first, last = memory.Opens(pod.UID)
	assert.True(t, opens, "a new sandbox starts over")
	assert.Equal(t, base.Add(200*time.Second), first)
	assert.Equal(t, base.Add(201*time.Second), last)

	memory.Forget(pod.UID)
	assert.Empty(t, memory.pods)
}

func TestMemoryOfStarts(t *testing.T) {
	m := &Memory{}
	m.ReleaseStarted("pod")
	m.Starting("pod", "proxy")
	m.Starting("pod", "shipper")
	m.Starting("other", "proxy")
	m.Started("pod", "proxy")
	if !m.IsStarting("pod", "proxy") {
		t.Error("a start is over when it is released, not when it has ended")
	}
	m.ReleaseStarted("pod")
	if m.IsStarting("pod", "proxy") {
		t.Error("a released start is over")
	}
	if !m.IsStarting("pod", "shipper") || !m.IsStarting("other", "proxy") {
		t.Error("a start that goes on is not released")
	}
	m.Started("pod", "shipper")
	m.Started("other", "proxy")
	m.ReleaseStarted("pod")
	m.ReleaseStarted("other")
	if len(m.starting) > 0 {
		t.Errorf("nothing is to be left, found %v", m.starting)
	}
}
