/*
Copyright The Sidecar Node Authors.

SPDX-License-Identifier: Apache-2.0
*/

package kuberuntime

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	v1 "k8s.io/api/core/v1"
	"k8s.io/client-go/util/flowcontrol"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
	apitest "k8s.io/cri-api/pkg/apis/testing"
	kubecontainer "k8s.io/kubernetes/pkg/kubelet/container"
	"k8s.io/kubernetes/pkg/kubelet/images"
	proberesults "k8s.io/kubernetes/pkg/kubelet/prober/results"
	"k8s.io/kubernetes/test/utils/ktesting"
)

// slowStart is a pod whose proxy is being started, with a postStart hook that does not
// end by itself.
type slowStart struct {
	t       *testing.T
	ctx     context.Context
	m       *kubeGenericRuntimeManager
	runtime *apitest.FakeRuntimeService
	pod     *v1.Pod
	backOff *flowcontrol.Backoff
	deleted atomic.Bool
	begun   chan string
	ended   chan kubecontainer.PodSyncResult
}

func newSlowStart(t *testing.T, policy v1.RestartPolicy) *slowStart {
	enableSidecars(t)
	tCtx := ktesting.Init(t)
	s := &slowStart{t: t, ctx: tCtx, pod: makeSidecarPod(policy), begun: make(chan string, 10),
		backOff: flowcontrol.NewBackOff(time.Hour, time.Hour)}
	var err error
	s.runtime, _, s.m, err = createTestRuntimeManager(tCtx)
	require.NoError(t, err)
	s.m.podStateProvider = terminating{s.m.podStateProvider.(*fakePodStateProvider), &s.deleted}
	s.m.runner = &hookRunner{runs: map[string]int{}}
	s.pod.Spec.Containers[proxyIdx].Lifecycle.PostStart = &v1.LifecycleHandler{Exec: &v1.ExecAction{Command: []string{"hook"}}}
	return s
}

// sync begins a sync of the pod.
func (s *slowStart) sync() {
	status := &kubecontainer.PodStatus{}
	if runtimePod, err := s.m.GetPod(s.ctx, s.pod.UID); err == nil {
		status, err = s.m.GetPodStatus(s.ctx, runtimePod)
		require.NoError(s.t, err)
	}
	s.ended = make(chan kubecontainer.PodSyncResult, 1)
	go func() { s.ended <- s.m.SyncPod(s.ctx, s.pod, status, nil, s.backOff, false) }()
}

// await returns when the sync has ended.
func (s *slowStart) await() *kubecontainer.PodSyncResult {
	s.t.Helper()
	select {
	case result := <-s.ended:
		return &result
	case <-time.After(30 * time.Second):
		s.t.Fatal("the sync goes on")
	}
	return nil
}

// run brings the pod to the state in which everything runs.
func (s *slowStart) run() {
	s.t.Helper()
	s.sync()
	require.NoError(s.t, s.await().Error())
	s.sync()
	require.NoError(s.t, s.await().Error())
	require.Equal(s.t, []string{"app", "proxy", "shipper"}, containerNames(s.runtime, runtimeapi.ContainerState_CONTAINER_RUNNING))
}

// restartProxy lets the proxy end, and begins a sync that starts it again and whose hook
// goes on.
func (s *slowStart) restartProxy() {
	s.t.Helper()
	s.end("proxy", 1)
	s.m.runner = &endlessRunner{begun: s.begun}
	s.sync()
	require.Equal(s.t, "proxy", <-s.begun)
}

// newest returns the last container of that name.
func (s *slowStart) newest(name string) kubecontainer.ContainerID {
	var id string
	attempt := -1
	s.runtime.Lock()
	defer s.runtime.Unlock()
	for _, c := range s.runtime.Containers {
		if c.Metadata.Name == name && int(c.Metadata.Attempt) > attempt {
			id, attempt = c.Id, int(c.Metadata.Attempt)
		}
	}
	return kubecontainer.ContainerID{Type: s.m.runtimeName, ID: id}
}

// end lets the container end by itself.
func (s *slowStart) end(name string, code int32) {
	id := s.newest(name).ID
	s.runtime.Lock()
	defer s.runtime.Unlock()
	s.runtime.Containers[id].State = runtimeapi.ContainerState_CONTAINER_EXITED
	s.runtime.Containers[id].ExitCode = code
	s.runtime.Containers[id].FinishedAt = time.Now().UnixNano()
}

// attempt returns how often the container was restarted, -1 if it does not run.
func (s *slowStart) attempt(name string) int {
	id := s.newest(name).ID
	s.runtime.Lock()
	defer s.runtime.Unlock()
	if c := s.runtime.Containers[id]; c != nil && c.State == runtimeapi.ContainerState_CONTAINER_RUNNING {
		return int(c.Metadata.Attempt)
	}
	return -1
}

func (s *slowStart) eventually(name string, attempt int, why string) {
	s.t.Helper()
	assert.Eventually(s.t, func() bool { return s.attempt(name) == attempt }, 30*time.Second, 10*time.Millisecond, why)
}

// delete ends the test: the hook is cancelled.
func (s *slowStart) delete() {
	s.t.Helper()
	s.deleted.Store(true)
	s.await()
}

func TestAppIsRestartedWhileASidecarStarts(t *testing.T) {
	s := newSlowStart(t, v1.RestartPolicyAlways)
	s.run()
	s.restartProxy()
	s.end("app", 1)
	s.eventually("app", 1, "an app container that ends is restarted at once, whatever the sidecars are doing")
	assert.Empty(t, s.begun, "the hook runs once for each start of the container")
	assert.Equal(t, 1, s.attempt("proxy"))

	// Now it is in back-off.
	s.end("app", 1)
	time.Sleep(2*startsPollInterval + startsPollInterval/2)
	assert.Equal(t, -1, s.attempt("app"))
	s.deleted.Store(true)
	result := s.await()
	started := 0
	for _, r := range result.SyncResults {
		if r.Target == "app" {
			started++
		}
	}
	assert.Equal(t, 1, started, "a container in back-off is left alone")
}

func TestUnhealthyAppIsKilledWhileASidecarStarts(t *testing.T) {
	s := newSlowStart(t, v1.RestartPolicyAlways)
	s.run()
	s.restartProxy()
	s.m.livenessManager.Set(s.newest("app"), proberesults.Failure, s.pod)
	s.eventually("app", 1, "an app container that has failed its liveness probe is restarted")
	s.delete()
}

func TestSidecarIsRestartedWhileAnotherStarts(t *testing.T) {
	s := newSlowStart(t, v1.RestartPolicyNever)
	s.m.runner = &endlessRunner{begun: s.begun}
	s.sync()
	require.Equal(t, "proxy", <-s.begun)
	s.eventually("shipper", 0, "sidecars do not wait for each other")
	s.end("shipper", 0)
	s.eventually("shipper", 1, "neither when one of them is restarted")
	assert.Equal(t, -1, s.attempt("app"))
	assert.Empty(t, s.begun, "the hook runs once for each start of the container")
	s.delete()
	assert.False(t, s.m.sidecarMemory.IsStarting(s.pod.UID, "proxy"))
}

func TestEndOfTheAppEndsTheStartOfSidecars(t *testing.T) {
	s := newSlowStart(t, v1.RestartPolicyNever)
	s.run()
	s.restartProxy()
	s.end("app", 0)
	require.NoError(t, s.await().Error(), "the sync must end, so that the next one can end the pod")
	assert.Equal(t, 1, s.attempt("proxy"), "it is stopped with the pod, at its turn")
	assert.Equal(t, 0, s.attempt("shipper"))
}

func TestDeletionEndsThePullForASidecar(t *testing.T) {
	s := newSlowStart(t, v1.RestartPolicyAlways)
	puller := &endlessPuller{ImageManager: s.m.imagePuller, image: "slow", begun: make(chan struct{}, 1)}
	s.m.imagePuller = puller
	s.pod.Spec.Containers[shipperIdx].Image = "slow"
	s.sync()
	<-puller.begun
	s.eventually("proxy", 0, "sidecars do not wait for each other")
	s.delete()
	assert.Equal(t, -1, s.attempt("shipper"))
}

// An error of another container must not keep the sync from seeing that the pod is over.
func TestEndOfTheAppIsSeenAfterAnError(t *testing.T) {
	s := newSlowStart(t, v1.RestartPolicyNever)
	s.run()
	s.restartProxy()
	s.runtime.InjectError("CreateContainer", errors.New("no container can be made"))
	s.end("shipper", 1)
	assert.Eventually(t, func() bool { return calls(s.runtime, "CreateContainer") > 4 }, 30*time.Second, 10*time.Millisecond, "the shipper is to be made again")
	s.end("app", 0)
	began := time.Now()
	s.await()
	assert.Less(t, time.Since(began), startsRetryInterval-startsPollInterval)
}

// A status that is taken while a sidecar is being started may not show it yet, and must
// not be the reason to start it once more.
func TestSidecarIsStartedOnce(t *testing.T) {
	s := newSlowStart(t, v1.RestartPolicyAlways)
	s.m.runner = &endlessRunner{begun: s.begun}
	pullCtx, pulled := context.WithCancel(s.ctx)
	puller := &endlessPuller{ImageManager: s.m.imagePuller, image: "slow", begun: make(chan struct{}, 1), until: pullCtx.Done()}
	s.m.imagePuller = puller
	s.pod.Spec.Containers[shipperIdx].Image = "slow"
	s.sync()
	<-puller.begun
	require.Equal(t, "proxy", <-s.begun)
	late := &lateList{FakeRuntimeService: s.runtime, changed: func() {
		pulled()
		s.eventually("shipper", 0, "the pull has ended")
		time.Sleep(startsPollInterval / 10) // the end of the start is noted
	}}
	s.m.runtimeService = late
	require.Eventually(t, late.used.Load, 30*time.Second, 10*time.Millisecond)
	time.Sleep(2 * startsPollInterval)
	assert.Equal(t, 2, calls(s.runtime, "CreateContainer"), "the proxy and the shipper")
	s.delete()
}

func calls(fake *apitest.FakeRuntimeService, method string) int {
	n := 0
	for _, c := range fake.GetCalls() {
		if c == method {
			n++
		}
	}
	return n
}

// lateList tells what runs as it was before a change, once.
type lateList struct {
	*apitest.FakeRuntimeService
	used    atomic.Bool
	changed func()
}

func (l *lateList) ListContainers(ctx context.Context, filter *runtimeapi.ContainerFilter) ([]*runtimeapi.Container, error) {
	list, err := l.FakeRuntimeService.ListContainers(ctx, filter)
	if l.used.CompareAndSwap(false, true) {
		l.changed()
	}
	return list, err
}

// endlessPuller pulls one image until its context or until ends, and leaves the others
// to the real one.
type endlessPuller struct {
	images.ImageManager
	image string
	begun chan struct{}
	until <-chan struct{}
}

func (p *endlessPuller) EnsureImageExists(ctx context.Context, ref *v1.ObjectReference, pod *v1.Pod, image string, secrets []v1.Secret, sandbox *runtimeapi.PodSandboxConfig, handler string, policy v1.PullPolicy) (string, string, error) {
	if image != p.image {
		return p.ImageManager.EnsureImageExists(ctx, ref, pod, image, secrets, sandbox, handler, policy)
	}
	p.begun <- struct{}{}
	select {
	case <-p.until:
		return image, "", nil
	case <-ctx.Done():
		return "", ctx.Err().Error(), images.ErrImagePull
	}
}
