/*
Copyright The Sidecar Node Authors.

SPDX-License-Identifier: Apache-2.0
*/

package sidecar

import (
	"maps"
	"sync"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	podutil "k8s.io/kubernetes/pkg/api/v1/pod"
	kubecontainer "k8s.io/kubernetes/pkg/kubelet/container"
)

// Memory is what this kubelet has to remember of pods whose app containers wait for
// sidecars, because the runtime does not tell it. A kubelet that was restarted knows
// nothing: the one before it may have been interrupted in the middle of a hook. The
// zero value is ready to use. A nil Memory may be asked and knows nothing either.
type Memory struct {
	lock sync.RWMutex
	pods map[types.UID]*podMemory
	// starting holds the names of the sidecars that are being started, with true once
	// the start has ended.
	starting map[types.UID]map[string]bool
}

// podMemory is what is remembered of a pod in its current sandbox.
type podMemory struct {
	sandboxID string
	// succeeded holds the IDs of containers whose postStart hook has succeeded.
	succeeded sets.Set[string]
	// created holds when the first container of each sidecar was created. The
	// runtime forgets it when the container is removed after a few restarts.
	created map[string]time.Time
	// opened is true if the gate has opened.
	opened bool
}

// pod returns what is remembered of the pod. The caller holds the lock.
func (m *Memory) pod(uid types.UID) *podMemory {
	if m.pods == nil {
		m.pods = make(map[types.UID]*podMemory)
	}
	if m.pods[uid] == nil {
		m.pods[uid] = &podMemory{succeeded: sets.New[string](), created: make(map[string]time.Time)}
	}
	return m.pods[uid]
}

// Forget is called when nothing of the pod is waited for any more.
func (m *Memory) Forget(uid types.UID) {
	m.lock.Lock()
	defer m.lock.Unlock()
	delete(m.pods, uid)
}

// PostStartSucceeded is called when the postStart hook of the container has succeeded.
func (m *Memory) PostStartSucceeded(uid types.UID, id kubecontainer.ContainerID) {
	m.lock.Lock()
	defer m.lock.Unlock()
	m.pod(uid).succeeded.Insert(id.ID)
}

// Starting is called when the start of a sidecar begins.
func (m *Memory) Starting(uid types.UID, container string) {
	m.lock.Lock()
	defer m.lock.Unlock()
	if m.starting == nil {
		m.starting = make(map[types.UID]map[string]bool)
	}
	if m.starting[uid] == nil {
		m.starting[uid] = make(map[string]bool)
	}
	m.starting[uid][container] = false
}

// Started is called when the start of the sidecar has ended, with or without success.
func (m *Memory) Started(uid types.UID, container string) {
	m.lock.Lock()
	defer m.lock.Unlock()
	m.starting[uid][container] = true
}

// ReleaseStarted is called before the runtime is asked for the status of the pod, and
// lets that status tell about the sidecars whose start has ended. One from before the
// end of a start does not tell what became of it, and would have the sidecar started a
// second time.
func (m *Memory) ReleaseStarted(uid types.UID) {
	m.lock.Lock()
	defer m.lock.Unlock()
	maps.DeleteFunc(m.starting[uid], func(_ string, ended bool) bool { return ended })
	if len(m.starting[uid]) == 0 {
		delete(m.starting, uid)
	}
}

// IsStarting returns true from the start of the sidecar until it is released.
func (m *Memory) IsStarting(uid types.UID, container string) bool {
	m.lock.RLock()
	defer m.lock.RUnlock()
	_, starting := m.starting[uid][container]
	return starting
}

// passedPostStart returns true if the container has no postStart hook, or it has
// succeeded.
func (m *Memory) passedPostStart(pod *v1.Pod, container *v1.Container, id kubecontainer.ContainerID) bool {
	if container.Lifecycle == nil || container.Lifecycle.PostStart == nil {
		return true
	}
	if m == nil {
		return false
	}
	m.lock.RLock()
	defer m.lock.RUnlock()
	remembered := m.pods[pod.UID]
	return remembered != nil && remembered.succeeded.Has(id.ID)
}

// Interrupted returns the sidecars that are running and whose postStart hook is not
// known to have succeeded, with the containers that they run in, apart from those that
// are being started. App containers wait for them; once these have been started, nobody
// does.
func (m *Memory) Interrupted(pod *v1.Pod, podStatus *kubecontainer.PodStatus) map[*v1.Container]kubecontainer.ContainerID {
	if appContainerCreated(pod, podStatus) {
		return nil
	}
	interrupted := make(map[*v1.Container]kubecontainer.ContainerID)
	for i := range pod.Spec.Containers {
		container := &pod.Spec.Containers[i]
		status := podStatus.FindActiveContainerStatusByName(container.Name)
		if podutil.IsSidecarContainer(container) && !m.IsStarting(pod.UID, container.Name) && upToDate(container, status) && !m.passedPostStart(pod, container, status.ID) {
			interrupted[container] = status.ID
		}
	}
	return interrupted
}

// Observe notes when the sidecars of the pod were created for the first time in the
// given sandbox, which is the current one.
func (m *Memory) Observe(pod *v1.Pod, sandboxID string, podStatus *kubecontainer.PodStatus) {
	m.lock.Lock()
	defer m.lock.Unlock()
	remembered := m.pod(pod.UID)
	if remembered.sandboxID != sandboxID {
		// A hook may have succeeded before the sandbox was seen for the first time.
		remembered.sandboxID, remembered.opened = sandboxID, false
		clear(remembered.created)
	}
	for i := range pod.Spec.Containers {
		container := &pod.Spec.Containers[i]
		if !podutil.IsSidecarContainer(container) {
			continue
		}
		for _, status := range podStatus.ActiveContainerStatuses {
			if status.Name != container.Name {
				continue
			}
			if first, ok := remembered.created[container.Name]; !ok || status.CreatedAt.Before(first) {
				remembered.created[container.Name] = status.CreatedAt
			}
		}
	}
}

// Opens is called when the gate of the pod is about to let app containers start. It
// returns true the first time that this happens in a sandbox; an app container that
// cannot be created is tried again and again. The times are those at which the
// sidecars were created for the first time: the first of them, which is when the app
// containers began to wait, and the last of them.
func (m *Memory) Opens(uid types.UID) (opens bool, first, last time.Time) {
	m.lock.Lock()
	defer m.lock.Unlock()
	remembered := m.pod(uid)
	if remembered.opened {
		return false, first, last
	}
	remembered.opened = true
	for _, created := range remembered.created {
		if first.IsZero() || created.Before(first) {
			first = created
		}
		if created.After(last) {
			last = created
		}
	}
	return true, first, last
}
