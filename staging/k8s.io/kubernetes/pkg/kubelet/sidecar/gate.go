/*
Copyright The Sidecar Node Authors.

SPDX-License-Identifier: Apache-2.0
*/

package sidecar

import (
	"strings"
	"time"

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
	// of the pod spec. The gate is open if there are none.
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

// NewGate returns the gate of a pod with sidecars as the node sees it: from the
// containers in the current sandbox and from the results of probes that this
// kubelet has made. The status of the pod in the API is not consulted, it may be
// out of date and may hold what an earlier kubelet has seen.
func NewGate(pod *v1.Pod, podStatus *kubecontainer.PodStatus, startup, readiness proberesults.Manager) Gate {
	var gate Gate
	for i := range pod.Spec.Containers {
		container := &pod.Spec.Containers[i]
		// Only containers of the current sandbox count, what an earlier sandbox has
		// left behind says nothing about this one.
		status := podStatus.FindActiveContainerStatusByName(container.Name)
		if !podutil.IsSidecarContainer(container) {
			gate.Passed = gate.Passed || status != nil
			continue
		}
		if !ready(container, status, startup, readiness) {
			gate.NotReady = append(gate.NotReady, container.Name)
		}
	}
	return gate
}

// ready returns true if the sidecar is running and has passed its startup and its
// readiness probe, as far as it has them. The kubelet runs the postStart hook before
// it looks at a pod again, so that a running container has passed that as well.
func ready(container *v1.Container, status *kubecontainer.Status, startup, readiness proberesults.Manager) bool {
	if status == nil || status.State != kubecontainer.ContainerStateRunning {
		return false
	}
	return passed(container.StartupProbe, status.ID, startup) && passed(container.ReadinessProbe, status.ID, readiness)
}

func passed(probe *v1.Probe, id kubecontainer.ContainerID, results proberesults.Manager) bool {
	if probe == nil {
		return true
	}
	result, found := results.Get(id)
	return found && result == proberesults.Success
}

// FirstCreated returns when the first sidecar of the current sandbox was created,
// which is when the app containers began to wait. It is zero if there is none.
func FirstCreated(pod *v1.Pod, podStatus *kubecontainer.PodStatus) time.Time {
	var first time.Time
	for i := range pod.Spec.Containers {
		container := &pod.Spec.Containers[i]
		if !podutil.IsSidecarContainer(container) {
			continue
		}
		// The oldest container of that name, the sidecar may have been restarted.
		for _, status := range podStatus.ActiveContainerStatuses {
			if status.Name == container.Name && (first.IsZero() || status.CreatedAt.Before(first)) {
				first = status.CreatedAt
			}
		}
	}
	return first
}
