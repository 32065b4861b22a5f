/*
Copyright The Sidecar Node Authors.

SPDX-License-Identifier: Apache-2.0
*/

package kuberuntime

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	ref "k8s.io/client-go/tools/reference"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	podutil "k8s.io/kubernetes/pkg/api/v1/pod"
	"k8s.io/kubernetes/pkg/features"
	kubecontainer "k8s.io/kubernetes/pkg/kubelet/container"
	"k8s.io/kubernetes/pkg/kubelet/events"
	"k8s.io/kubernetes/pkg/kubelet/metrics"
	"k8s.io/kubernetes/pkg/kubelet/sidecar"
)

// containerShutdownStageLabel is the annotation that keeps the stage at which a
// container is stopped on the container itself, so that the order is known even if
// the pod is not. It is set on the containers of pods with sidecars only.
const containerShutdownStageLabel = "io.kubernetes.container.shutdownStage"

// sidecarSync is what a sync of a pod with sidecars has to observe. It is nil for
// every other pod, and its methods accept that.
type sidecarSync struct {
	pod       *v1.Pod
	podStatus *kubecontainer.PodStatus
	gate      sidecar.Gate
	memory    *sidecar.Memory
}

func (m *kubeGenericRuntimeManager) newSidecarSync(pod *v1.Pod, podStatus *kubecontainer.PodStatus) *sidecarSync {
	if !kubecontainer.HasSidecars(pod) {
		return nil
	}
	gate := sidecar.NewGate(pod, podStatus, sidecar.Checks{Startup: m.startupManager, Readiness: m.readinessManager, Memory: &m.sidecarMemory})
	if gate.Passed {
		m.sidecarMemory.Forget(pod.UID)
	} else if len(podStatus.SandboxStatuses) > 0 {
		m.sidecarMemory.Observe(pod, podStatus.SandboxStatuses[0].Id, podStatus)
	}
	return &sidecarSync{pod: pod, podStatus: podStatus, gate: gate, memory: &m.sidecarMemory}
}

// starting returns true if the container is a sidecar that the sync before this one is
// still busy to start.
func (s *sidecarSync) starting(container *v1.Container) bool {
	return s != nil && s.memory.IsStarting(s.pod.UID, container.Name)
}

// mayStart returns true unless the container has to wait for the sidecars.
func (s *sidecarSync) mayStart(container *v1.Container) bool {
	return s == nil || s.gate.Open() || podutil.IsSidecarContainer(container)
}

// appContainersDone returns true if only sidecars are left to stop.
func (s *sidecarSync) appContainersDone(logger klog.Logger) bool {
	return s != nil && kubecontainer.AppContainersDone(logger, s.pod, s.podStatus)
}

// opensGate returns true if app containers are started for the first time in the
// current sandbox.
func (s *sidecarSync) opensGate(containersToStart []int) bool {
	return s != nil && !s.gate.Passed && slices.ContainsFunc(containersToStart, func(idx int) bool {
		return !podutil.IsSidecarContainer(&s.pod.Spec.Containers[idx])
	})
}

// startsOver returns true if nothing but initialization and sidecars has run in the
// earlier sandboxes of the pod, so that a new sandbox repeats no work of the app
// containers, even if the pod is not to be restarted.
func startsOver(pod *v1.Pod, podStatus *kubecontainer.PodStatus) bool {
	if !kubecontainer.HasSidecars(pod) || kubecontainer.AnyAppContainerCreated(pod, podStatus) {
		return false
	}
	for i := range pod.Spec.InitContainers {
		container := &pod.Spec.InitContainers[i]
		if podutil.IsRestartableInitContainer(container) {
			continue
		}
		if podStatus.FindContainerStatusByName(container.Name) != nil && !containerSucceeded(container, podStatus) {
			return false
		}
	}
	return true
}

// startFirst returns which containers of a new sandbox are started first, given the
// app containers that are to be started: the sidecars if there are any.
func startFirst(pod *v1.Pod, appContainers []int) []int {
	if !kubecontainer.HasSidecars(pod) {
		return appContainers
	}
	var sidecars []int
	for i := range pod.Spec.Containers {
		if podutil.IsSidecarContainer(&pod.Spec.Containers[i]) {
			sidecars = append(sidecars, i)
		}
	}
	return sidecars
}

// recordGateOpened tells that the sidecars are ready and the app containers are
// about to be started for the first time in this sandbox.
func (m *kubeGenericRuntimeManager) recordGateOpened(ctx context.Context, pod *v1.Pod, changes *podActions) {
	if !changes.sidecars.opensGate(changes.ContainersToStart) {
		return
	}
	opens, first, last := m.sidecarMemory.Opens(pod.UID)
	if !opens {
		return
	}
	logger := klog.FromContext(ctx)
	now := time.Now()
	waited := now.Sub(first)
	logger.V(2).Info("Sidecars are ready, starting app containers", "pod", klog.KObj(pod), "podUID", pod.UID, "waited", waited)
	metrics.SidecarGateDuration.Observe(waited.Seconds())
	// For the SLI of pod startup this is initialization. It begins when the last
	// sidecar has been created, the pulls of their images are accounted for already.
	if m.podInitContainerTimeRecorder != nil {
		m.podInitContainerTimeRecorder.RecordInitContainerStarted(pod.UID, last)
		m.podInitContainerTimeRecorder.RecordInitContainerFinished(pod.UID, now)
	}
	m.recordPodEvent(ctx, pod, events.SidecarsReady, "Sidecars are ready after %s, starting app containers", waited.Round(time.Millisecond))
}

func (m *kubeGenericRuntimeManager) recordPodEvent(ctx context.Context, pod *v1.Pod, reason, message string, args ...any) {
	logger := klog.FromContext(ctx)
	podRef, err := ref.GetReference(legacyscheme.Scheme, pod)
	if err != nil {
		logger.Error(err, "Couldn't make a ref to pod", "pod", klog.KObj(pod))
		return
	}
	m.recorder.WithLogger(logger).Eventf(podRef, v1.EventTypeNormal, reason, message, args...)
}

// SidecarMemory returns what this kubelet remembers of pods with sidecars.
func (m *kubeGenericRuntimeManager) SidecarMemory() *sidecar.Memory {
	return &m.sidecarMemory
}

// terminationPollInterval is how often a hook that is running looks whether its pod is
// to be terminated.
const terminationPollInterval = 100 * time.Millisecond

// runPostStartHook runs the postStart hook of the container. That of a sidecar is
// cancelled when its pod is to be terminated or its start is abandoned: then the hook
// counts neither as succeeded nor as failed, and the container is left to be stopped
// with the pod, at its turn.
func (m *kubeGenericRuntimeManager) runPostStartHook(ctx context.Context, id kubecontainer.ContainerID, pod *v1.Pod, container *v1.Container) (string, error) {
	if !kubecontainer.IsSidecar(container) {
		return m.runner.Run(ctx, id, pod, container, container.Lifecycle.PostStart)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go wait.UntilWithContext(ctx, func(context.Context) {
		if m.podStateProvider.IsPodTerminationRequested(pod.UID) {
			cancel()
		}
	}, terminationPollInterval)
	msg, err := m.runner.Run(ctx, id, pod, container, container.Lifecycle.PostStart)
	if ctx.Err() != nil && (context.Cause(ctx) == errStartAbandoned || m.podStateProvider.IsPodTerminationRequested(pod.UID)) {
		return "", nil
	}
	if err == nil {
		m.sidecarMemory.PostStartSucceeded(pod.UID, id)
	}
	return msg, err
}

// finishPostStartHooks runs the postStart hooks of running sidecars for which app
// containers wait and whose hook is not known to have succeeded: an earlier kubelet may
// not have lived to see it. A container whose hook fails is killed, as it is when it
// was just started. It returns the status of the pod from then on, nil if the sync has
// to end because the pod is to be terminated or its status could not be had.
func (m *kubeGenericRuntimeManager) finishPostStartHooks(ctx context.Context, pod *v1.Pod, podStatus *kubecontainer.PodStatus, result *kubecontainer.PodSyncResult) *kubecontainer.PodStatus {
	if !kubecontainer.HasSidecars(pod) {
		return podStatus
	}
	interrupted := m.sidecarMemory.Interrupted(pod, podStatus)
	if len(interrupted) == 0 {
		return podStatus
	}
	var wg sync.WaitGroup
	for container, id := range interrupted {
		hookResult := kubecontainer.NewSyncResult(kubecontainer.StartContainer, container.Name)
		result.AddSyncResult(hookResult)
		wg.Go(func() {
			defer runtime.HandleCrashWithContext(ctx)
			if msg, err := m.finishPostStartHook(ctx, pod, container, id); err != nil {
				hookResult.Fail(ErrPostStartHook, msg)
			}
		})
	}
	wg.Wait()
	if m.podStateProvider.IsPodTerminationRequested(pod.UID) {
		return nil
	}
	// Hooks take their time, and what was known of the pod is out of date.
	fresh, err := m.currentPodStatus(ctx, pod.UID)
	if err != nil {
		result.Fail(err)
		return nil
	}
	fresh.IPs = podStatus.IPs
	return fresh
}

// currentPodStatus asks the runtime for the status of the pod.
func (m *kubeGenericRuntimeManager) currentPodStatus(ctx context.Context, uid types.UID) (*kubecontainer.PodStatus, error) {
	runtimePod, err := m.GetPod(ctx, uid)
	if err != nil {
		return nil, err
	}
	return m.GetPodStatus(ctx, runtimePod)
}

func (m *kubeGenericRuntimeManager) finishPostStartHook(ctx context.Context, pod *v1.Pod, container *v1.Container, id kubecontainer.ContainerID) (string, error) {
	logger := klog.FromContext(ctx)
	logger.V(2).Info("Running the PostStartHook of a sidecar again", "pod", klog.KObj(pod), "podUID", pod.UID, "containerName", container.Name, "containerID", id.String())
	msg, err := m.runPostStartHook(ctx, id, pod, container)
	if err == nil {
		return "", nil
	}
	logger.Error(err, "Failed to execute PostStartHook", "pod", klog.KObj(pod), "podUID", pod.UID, "containerName", container.Name, "containerID", id.String())
	// The message may hold secrets from the server.
	m.recordContainerEvent(ctx, pod, container, id.ID, v1.EventTypeWarning, events.FailedPostStartHook, "PostStartHook failed")
	if err := m.killContainer(ctx, pod, id, container.Name, "FailedPostStartHook", reasonFailedPostStartHook, nil, nil); err != nil {
		logger.Error(err, "Failed to kill container", "pod", klog.KObj(pod), "podUID", pod.UID, "containerName", container.Name, "containerID", id.String())
	}
	return msg, err
}

// shutdownStage returns the stage at which the container of a pod with sidecars is
// stopped.
func shutdownStage(pod *v1.Pod, containerName string) sidecar.Stage {
	for i := range pod.Spec.Containers {
		if container := &pod.Spec.Containers[i]; container.Name == containerName && podutil.IsSidecarContainer(container) {
			return sidecar.StageSidecar
		}
	}
	stage := sidecar.StageNative
	for i := len(pod.Spec.InitContainers) - 1; i >= 0; i-- {
		container := &pod.Spec.InitContainers[i]
		if !podutil.IsRestartableInitContainer(container) {
			continue
		}
		if container.Name == containerName {
			return stage
		}
		stage++
	}
	return sidecar.StageApp
}

// addShutdownStage keeps the stage of a container of a pod with sidecars among the
// annotations of the container.
func addShutdownStage(annotations map[string]string, container *v1.Container, pod *v1.Pod) {
	if kubecontainer.HasSidecars(pod) {
		annotations[containerShutdownStageLabel] = strconv.Itoa(int(shutdownStage(pod, container.Name)))
	}
}

// keptShutdownStage returns the stage that is kept among the annotations of a
// container, zero if there is none.
func keptShutdownStage(ctx context.Context, annotations map[string]string) int {
	value, found := annotations[containerShutdownStageLabel]
	if !found {
		return 0
	}
	stage, err := strconv.Atoi(value)
	if err != nil {
		klog.FromContext(ctx).Error(err, "Unable to read the shutdown stage of container", "label", containerShutdownStageLabel)
		return 0
	}
	return stage
}

// withSidecarShutdown returns the ordering in which the containers of a pod with
// sidecars are stopped, or the given one if the pod has none.
func (m *kubeGenericRuntimeManager) withSidecarShutdown(ctx context.Context, ordering *terminationOrdering, pod *v1.Pod, runningPod kubecontainer.Pod, gracePeriodOverride *int64) *terminationOrdering {
	if utilfeature.DefaultFeatureGate.Enabled(features.SidecarContainers) {
		m.sidecarMemory.Forget(runningPod.ID)
	}
	stages := shutdownStages(pod, runningPod)
	if stages == nil {
		return ordering
	}
	gracePeriod := setTerminationGracePeriod(ctx, pod, nil, "", kubecontainer.ContainerID{}, reasonUnknown)
	if gracePeriodOverride != nil {
		gracePeriod = *gracePeriodOverride
	}
	shutdown := sidecar.NewShutdown(stages, gracePeriod)
	var sidecars []string
	for _, container := range runningPod.Containers {
		if stages[container.ID.ID] == sidecar.StageSidecar {
			sidecars = append(sidecars, container.Name)
		}
	}
	slices.Sort(sidecars)
	return &terminationOrdering{shutdown: shutdown, stopSidecars: sync.OnceFunc(func() {
		message := "No app container is running any more, stopping sidecars: %s"
		if shutdown.Running(sidecar.StageApp) {
			message = "The grace period is over while app containers are still running, stopping sidecars: %s"
		}
		m.recordPodEvent(ctx, pod, events.StoppingSidecars, message, strings.Join(sidecars, ", "))
	})}
}

// shutdownStages returns the stages of the running containers by ID, nil if nothing
// has to wait for its turn.
func shutdownStages(pod *v1.Pod, runningPod kubecontainer.Pod) map[string]sidecar.Stage {
	if !utilfeature.DefaultFeatureGate.Enabled(features.SidecarContainers) {
		return nil
	}
	known := podutil.HasSidecarContainers(&pod.Spec)
	stages := make(map[string]sidecar.Stage, len(runningPod.Containers))
	ordered := false
	for _, container := range runningPod.Containers {
		// If the pod is gone from the API, pod is what the runtime knows of it, and
		// the containers tell what the spec would have.
		stage := sidecar.Stage(container.ShutdownStage)
		if known {
			stage = shutdownStage(pod, container.Name)
		}
		stages[container.ID.ID] = stage
		ordered = ordered || stage != sidecar.StageApp
	}
	if !ordered {
		return nil
	}
	return stages
}

// waitBeforePreStop lets a sidecar wait for its turn, so that its preStop hook runs
// when the app containers have ended, and returns what is left of the grace period
// in seconds.
func (o *terminationOrdering) waitBeforePreStop(id kubecontainer.ContainerID, gracePeriod int64) int64 {
	if o == nil || o.shutdown == nil || gracePeriod <= 0 || o.shutdown.Stage(id.ID) != sidecar.StageSidecar {
		return gracePeriod
	}
	o.shutdown.Wait(id.ID)
	o.stopSidecars()
	return o.shutdown.Rest()
}

// waitBeforeStop lets the containers of the later stages wait for their turn, and
// returns what is left of the grace period in seconds. The hooks of restartable init
// containers have run by then, as they do without sidecars.
func (o *terminationOrdering) waitBeforeStop(id kubecontainer.ContainerID, gracePeriod int64) int64 {
	if o == nil || o.shutdown == nil || gracePeriod <= 0 {
		return gracePeriod
	}
	o.shutdown.Wait(id.ID)
	gracePeriod = max(o.shutdown.Rest(), minimumGracePeriodInSeconds)
	o.shutdown.Stopping(id.ID, gracePeriod)
	return gracePeriod
}

// done is called when the container has ended or could not be stopped.
func (o *terminationOrdering) done(id kubecontainer.ContainerID) {
	if o != nil && o.shutdown != nil {
		o.shutdown.Done(id.ID)
	}
}
