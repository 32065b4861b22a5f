/*
Copyright The Sidecar Node Authors.

SPDX-License-Identifier: Apache-2.0
*/

package sidecar

import (
	"sync"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	podutil "k8s.io/kubernetes/pkg/api/v1/pod"
	kubecontainer "k8s.io/kubernetes/pkg/kubelet/container"
)

// PostStartHooks remembers whose postStart hook has succeeded under this kubelet. A
// kubelet that was restarted knows of none: the one before it may have been
// interrupted in the middle of the hook. The zero value is ready to use, and nil knows
// of none either.
type PostStartHooks struct {
	lock sync.RWMutex
	// succeeded holds the IDs of containers by pod.
	succeeded map[types.UID]sets.Set[string]
}

// Succeeded is called when the hook of the container has succeeded.
func (h *PostStartHooks) Succeeded(pod types.UID, id kubecontainer.ContainerID) {
	h.lock.Lock()
	defer h.lock.Unlock()
	if h.succeeded == nil {
		h.succeeded = make(map[types.UID]sets.Set[string])
	}
	if h.succeeded[pod] == nil {
		h.succeeded[pod] = sets.New[string]()
	}
	h.succeeded[pod].Insert(id.ID)
}

// Forget is called when nothing waits for the hooks of the pod any more.
func (h *PostStartHooks) Forget(pod types.UID) {
	h.lock.Lock()
	defer h.lock.Unlock()
	delete(h.succeeded, pod)
}

// passed returns true if the container has no postStart hook, or it has succeeded.
func (h *PostStartHooks) passed(pod *v1.Pod, container *v1.Container, id kubecontainer.ContainerID) bool {
	if container.Lifecycle == nil || container.Lifecycle.PostStart == nil {
		return true
	}
	if h == nil {
		return false
	}
	h.lock.RLock()
	defer h.lock.RUnlock()
	return h.succeeded[pod.UID].Has(id.ID)
}

// Interrupted returns the sidecars whose postStart hook has to be run again although
// they are running, with the containers that they run in. The app containers wait
// for them; once these have been started, nobody does.
func (h *PostStartHooks) Interrupted(pod *v1.Pod, podStatus *kubecontainer.PodStatus) map[*v1.Container]kubecontainer.ContainerID {
	if appContainerCreated(pod, podStatus) {
		return nil
	}
	interrupted := make(map[*v1.Container]kubecontainer.ContainerID)
	for i := range pod.Spec.Containers {
		container := &pod.Spec.Containers[i]
		status := podStatus.FindActiveContainerStatusByName(container.Name)
		if podutil.IsSidecarContainer(container) && upToDate(container, status) && !h.passed(pod, container, status.ID) {
			interrupted[container] = status.ID
		}
	}
	return interrupted
}
