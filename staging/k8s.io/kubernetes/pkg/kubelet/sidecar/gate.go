/*
Copyright The Sidecar Node Authors.

SPDX-License-Identifier: Apache-2.0
*/

package sidecar

import (
	"strings"

	v1 "k8s.io/api/core/v1"
	podutil "k8s.io/kubernetes/pkg/api/v1/pod"
	kubecontainer "k8s.io/kubernetes/pkg/kubelet/container"
	proberesults "k8s.io/kubernetes/pkg/kubelet/prober/results"
)

// ReasonWaitingForSidecars is the reason of a waiting app container of a pod whose
// gate is closed.
const ReasonWaitingForSidecars = "WaitingForSidecars"

// Gate tells whether the app containers of a pod have to wait for its sidecars.
type Gate struct {
	// NotReady names the sidecars that the app containers wait for, in the order
	// of the pod spec. The gate is open if there are none. Once it was passed,
	// nobody waits.
	NotReady []string
	// Passed is true if an app container has been created in the current sandbox.
	// The gate concerns the first start only, from then on it stays open.
	Passed bool
}

// Open returns true if app containers may be started.
func (g Gate) Open() bool { return g.Passed || len(g.NotReady) == 0 }

// Message says what the app containers wait for.
func (g Gate) Message() string {
	return "waiting for sidecars to become ready: " + strings.Join(g.NotReady, ", ")
}

// Checks are what this kubelet has found out about containers itself. Nothing that
// an earlier kubelet has seen is in there.
type Checks struct {
	Startup   proberesults.Manager
	Readiness proberesults.Manager
	Memory    *Memory
}

// NewGate returns the gate of a pod with sidecars as the node sees it: from the
// containers in the current sandbox and from the checks that this kubelet has made.
// The status of the pod in the API is not consulted, it may be out of date and may
// hold what an earlier kubelet has seen.
func NewGate(pod *v1.Pod, podStatus *kubecontainer.PodStatus, checks Checks) Gate {
	if appContainerCreated(pod, podStatus) {
		// Most syncs are of such pods, and nobody waits for their sidecars.
		return Gate{Passed: true}
	}
	var gate Gate
	for i := range pod.Spec.Containers {
		container := &pod.Spec.Containers[i]
		if !podutil.IsSidecarContainer(container) {
			continue
		}
		status := podStatus.FindActiveContainerStatusByName(container.Name)
		if !upToDate(container, status) || !checks.passed(pod, container, status) {
			gate.NotReady = append(gate.NotReady, container.Name)
		}
	}
	return gate
}

// appContainerCreated returns true if an app container has been created in the current
// sandbox. What an earlier sandbox has left behind says nothing about this one.
func appContainerCreated(pod *v1.Pod, podStatus *kubecontainer.PodStatus) bool {
	for i := range pod.Spec.Containers {
		container := &pod.Spec.Containers[i]
		if !podutil.IsSidecarContainer(container) && podStatus.FindActiveContainerStatusByName(container.Name) != nil {
			return true
		}
	}
	return false
}

// upToDate returns true if the container runs as the pod spec has it now. One with
// another image is about to be replaced.
func upToDate(container *v1.Container, status *kubecontainer.Status) bool {
	return status != nil && status.State == kubecontainer.ContainerStateRunning && status.Hash == kubecontainer.HashContainer(container)
}

// passed returns true if the container has passed whatever checks it has.
func (c Checks) passed(pod *v1.Pod, container *v1.Container, status *kubecontainer.Status) bool {
	return c.Memory.passedPostStart(pod, container, status.ID) &&
		passed(container.StartupProbe, status.ID, c.Startup) &&
		passed(container.ReadinessProbe, status.ID, c.Readiness)
}

func passed(probe *v1.Probe, id kubecontainer.ContainerID, results proberesults.Manager) bool {
	if probe == nil {
		return true
	}
	result, found := results.Get(id)
	return found && result == proberesults.Success
}
