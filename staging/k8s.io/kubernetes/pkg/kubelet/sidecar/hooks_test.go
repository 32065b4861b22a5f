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
			var hooks PostStartHooks
			for _, id := range test.succeeded {
				hooks.Succeeded(pod.UID, kubecontainer.ContainerID{ID: id})
			}
			status := &kubecontainer.PodStatus{ContainerStatuses: append(append([]*kubecontainer.Status{}, test.active...), test.others...), ActiveContainerStatuses: test.active}
			var got []string
			for container, id := range hooks.Interrupted(pod, status) {
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
	var hooks PostStartHooks
	hooks.Forget(pod.UID)
	hooks.Succeeded(pod.UID, id)
	hooks.Succeeded(other.UID, id)
	hooks.Forget(pod.UID)
	assert.False(t, hooks.passed(pod, &container, id))
	assert.True(t, hooks.passed(other, &container, id))
	var none *PostStartHooks
	assert.False(t, none.passed(pod, &container, id))
}
