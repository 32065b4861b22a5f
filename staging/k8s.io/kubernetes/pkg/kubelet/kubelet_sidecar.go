/*
Copyright The Sidecar Node Authors.

SPDX-License-Identifier: Apache-2.0
*/

package kubelet

import (
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/klog/v2"
	podutil "k8s.io/kubernetes/pkg/api/v1/pod"
	"k8s.io/kubernetes/pkg/features"
	kubecontainer "k8s.io/kubernetes/pkg/kubelet/container"
	"k8s.io/kubernetes/pkg/kubelet/sidecar"
)

// relistSidecarPod makes the PLEG look at a pod with sidecars now. What the pod
// waits for has happened: a sync that had to wait for the next periodic relist first
// would delay the start of the app containers, or the stop of the sidecars, by up to
// a second. Other pods cost and behave as they do without sidecars.
func (kl *Kubelet) relistSidecarPod(logger klog.Logger, pod *v1.Pod) {
	if kubecontainer.HasSidecars(pod) {
		kl.RequestPodRelist(logger, pod.UID)
	}
}

// sidecarPodRelister passes on requests for pods with sidecars only.
type sidecarPodRelister struct {
	kl *Kubelet
}

// RequestRelist is called when the runtime tells that a container of the pod has ended.
func (r sidecarPodRelister) RequestRelist(logger klog.Logger, podUID types.UID) {
	if pod, ok := r.kl.podManager.GetPodByUID(podUID); ok {
		r.kl.relistSidecarPod(logger, pod)
	}
}

// keepCgroupsOfOrderedPod protects the cgroups of a pod that is known from the runtime
// alone and whose containers are stopped one after another: removing them would kill
// all containers at once. They are removed when the pod has stopped.
func keepCgroupsOfOrderedPod(possiblyRunningPods map[types.UID]sets.Empty, runningPod *kubecontainer.Pod) {
	if !utilfeature.DefaultFeatureGate.Enabled(features.SidecarContainers) {
		return
	}
	for _, container := range runningPod.Containers {
		if sidecar.Stage(container.ShutdownStage) != sidecar.StageApp {
			possiblyRunningPods[runningPod.ID] = sets.Empty{}
			return
		}
	}
}

// markWaitingForSidecars gives the app containers of a pod whose gate is closed the
// waiting state that says so. It leaves alone what will not be started any more.
func (kl *Kubelet) markWaitingForSidecars(logger klog.Logger, pod *v1.Pod, podStatus *kubecontainer.PodStatus, apiStatus *v1.PodStatus, podIsTerminal bool) {
	if !kubecontainer.HasSidecars(pod) {
		return
	}
	gate := sidecar.NewGate(pod, podStatus, sidecar.Checks{Startup: kl.startupManager, Readiness: kl.readinessManager, Memory: kl.sidecarMemory})
	if gate.Open() || !initContainersDone(pod, apiStatus) {
		return
	}
	ending := podIsTerminal || kl.podWorkers.IsPodTerminationRequested(pod.UID)
	for i := range pod.Spec.Containers {
		container := &pod.Spec.Containers[i]
		if podutil.IsSidecarContainer(container) {
			continue
		}
		for j := range apiStatus.ContainerStatuses {
			status := &apiStatus.ContainerStatuses[j]
			if status.Name != container.Name || status.State.Running != nil {
				continue
			}
			// What an earlier sandbox has left behind becomes the last state, provided
			// that the container is going to run once more.
			if status.State.Terminated != nil {
				if ending || !kubecontainer.ShouldContainerBeRestarted(logger, container, pod, podStatus) {
					continue
				}
				status.LastTerminationState = status.State
			}
			status.State = v1.ContainerState{Waiting: &v1.ContainerStateWaiting{
				Reason:  sidecar.ReasonWaitingForSidecars,
				Message: gate.Message(),
			}}
		}
	}
}

// initContainersDone returns true if the init containers have succeeded and the
// restartable ones have started. Until then their state tells what the pod waits for.
func initContainersDone(pod *v1.Pod, apiStatus *v1.PodStatus) bool {
	for i := range pod.Spec.InitContainers {
		container := &pod.Spec.InitContainers[i]
		status, ok := podutil.GetContainerStatus(apiStatus.InitContainerStatuses, container.Name)
		if !ok {
			return false
		}
		if podutil.IsRestartableInitContainer(container) {
			if status.Started == nil || !*status.Started {
				return false
			}
		} else if status.State.Terminated == nil || status.State.Terminated.ExitCode != 0 {
			return false
		}
	}
	return true
}

// waitsForSidecars returns true if the container has to wait for sidecars, which
// makes the pod pending even if the container has run in an earlier sandbox.
func waitsForSidecars(status *v1.ContainerStatus) bool {
	return status.State.Waiting != nil && status.State.Waiting.Reason == sidecar.ReasonWaitingForSidecars
}
