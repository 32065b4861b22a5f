/*
Copyright The Sidecar Node Authors.

SPDX-License-Identifier: Apache-2.0
*/

package kuberuntime

import (
	"context"
	"errors"
	"sync"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/runtime"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/util/flowcontrol"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/features"
	kubecontainer "k8s.io/kubernetes/pkg/kubelet/container"
	"k8s.io/kubernetes/pkg/kubelet/metrics"
)

const (
	// startsPollInterval is how often a sync that is starting sidecars looks at its pod,
	// as often as the PLEG does.
	startsPollInterval = time.Second
	// startsRetryInterval is how long it leaves the other containers alone after an
	// error, as the pod workers do.
	startsRetryInterval = 10 * time.Second
)

// errStartAbandoned is why the start of a sidecar is cancelled when its pod is to be
// killed, which is for another sync to do.
var errStartAbandoned = errors.New("the pod is to be killed")

// sidecarStarts starts the sidecars of a pod side by side, within one sync. The pull of
// an image or a postStart hook may take minutes, in which the sync lasts and no other
// one of the pod begins; so it does meanwhile for the other containers what the next
// sync would do. It is nil for pods without sidecars, and its methods accept that.
type sidecarStarts struct {
	m         *kubeGenericRuntimeManager
	ctx       context.Context
	abandon   context.CancelCauseFunc
	pod       *v1.Pod
	podStatus *kubecontainer.PodStatus
	backOff   *flowcontrol.Backoff
	begun     bool
	wg        sync.WaitGroup
	// retryAt is when the other containers may be synced again after an error.
	retryAt time.Time
}

func (m *kubeGenericRuntimeManager) newSidecarStarts(ctx context.Context, pod *v1.Pod, podStatus *kubecontainer.PodStatus, backOff *flowcontrol.Backoff) *sidecarStarts {
	if !kubecontainer.HasSidecars(pod) {
		return nil
	}
	s := &sidecarStarts{m: m, pod: pod, podStatus: podStatus, backOff: backOff}
	s.ctx, s.abandon = context.WithCancelCause(ctx)
	return s
}

// begin runs start in the background and returns true if the container is a sidecar.
func (s *sidecarStarts) begin(container *v1.Container, start func(context.Context) error) bool {
	if s == nil || !kubecontainer.IsSidecar(container) {
		return false
	}
	s.begun = true
	restart := s.podStatus.FindActiveContainerStatusByName(container.Name) != nil
	s.m.sidecarMemory.Starting(s.pod.UID, container.Name)
	s.wg.Go(func() {
		defer runtime.HandleCrashWithContext(s.ctx)
		defer s.m.sidecarMemory.Started(s.pod.UID, container.Name)
		if err := start(s.ctx); err == nil && restart {
			metrics.SidecarRestartsTotal.Inc()
		}
	})
	return true
}

// wait returns when all that was begun has ended. Meanwhile it calls syncOthers when
// another container of the pod is to be started or killed, and abandons the starts when
// the pod as a whole is.
func (s *sidecarStarts) wait(syncOthers func(podStatus *kubecontainer.PodStatus) error) {
	if s == nil {
		return
	}
	defer s.abandon(nil)
	if !s.begun {
		return
	}
	defer s.m.sidecarMemory.ReleaseStarted(s.pod.UID)
	ended := make(chan struct{})
	go func() {
		s.wg.Wait()
		close(ended)
	}()
	for {
		select {
		case <-ended:
			return
		case <-s.ctx.Done():
			<-ended
			return
		case <-time.After(startsPollInterval):
			s.look(syncOthers)
		}
	}
}

// look does what the pod needs now, apart from the sidecars that are being started.
func (s *sidecarStarts) look(syncOthers func(podStatus *kubecontainer.PodStatus) error) {
	logger := klog.FromContext(s.ctx)
	if s.m.podStateProvider.IsPodTerminationRequested(s.pod.UID) {
		s.abandon(errStartAbandoned)
		return
	}
	s.m.sidecarMemory.ReleaseStarted(s.pod.UID)
	podStatus, err := s.m.currentPodStatus(s.ctx, s.pod.UID)
	if err != nil {
		logger.V(3).Info("Unable to look at a pod while its sidecars are started", "pod", klog.KObj(s.pod), "podUID", s.pod.UID, "err", err)
		return
	}
	if len(podStatus.IPs) == 0 {
		podStatus.IPs = s.podStatus.IPs
	}
	changes := s.m.computePodActions(s.ctx, s.pod, podStatus, false)
	switch {
	case changes.KillPod || changes.CreateSandbox || s.restartsAllContainers(podStatus):
		logger.V(2).Info("Abandoning the start of sidecars, the pod is to be killed", "pod", klog.KObj(s.pod), "podUID", s.pod.UID)
		s.abandon(errStartAbandoned)
	case s.due(&changes, podStatus) && !time.Now().Before(s.retryAt):
		if err := syncOthers(podStatus); err != nil {
			s.retryAt = time.Now().Add(startsRetryInterval)
		}
	}
}

// restartsAllContainers returns true if a container has ended in a way that makes the
// kubelet restart the whole pod in place.
func (s *sidecarStarts) restartsAllContainers(podStatus *kubecontainer.PodStatus) bool {
	return utilfeature.DefaultFeatureGate.Enabled(features.RestartAllContainersOnContainerExits) &&
		kubecontainer.ShouldAllContainersRestart(s.pod, podStatus, nil)
}

// due returns true if a container is to be killed, or to be started now.
func (s *sidecarStarts) due(changes *podActions, podStatus *kubecontainer.PodStatus) bool {
	if len(changes.ContainersToKill)+len(changes.EphemeralContainersToStart) > 0 {
		return true
	}
	for _, idx := range changes.InitContainersToStart {
		if !s.inBackOff(&s.pod.Spec.InitContainers[idx], podStatus) {
			return true
		}
	}
	for _, idx := range changes.ContainersToStart {
		if !s.inBackOff(&s.pod.Spec.Containers[idx], podStatus) {
			return true
		}
	}
	return false
}

// inBackOff returns true if the container is not to be restarted yet.
func (s *sidecarStarts) inBackOff(container *v1.Container, podStatus *kubecontainer.PodStatus) bool {
	status := podStatus.FindContainerStatusByName(container.Name)
	return status != nil && status.State == kubecontainer.ContainerStateExited &&
		s.backOff.IsInBackOffSince(GetBackoffKey(s.pod, container), status.FinishedAt)
}
