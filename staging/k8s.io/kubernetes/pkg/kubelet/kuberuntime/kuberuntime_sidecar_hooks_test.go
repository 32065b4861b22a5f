/*
Copyright The Sidecar Node Authors.

SPDX-License-Identifier: Apache-2.0
*/

package kuberuntime

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/flowcontrol"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
	apitest "k8s.io/cri-api/pkg/apis/testing"
	kubecontainer "k8s.io/kubernetes/pkg/kubelet/container"
	"k8s.io/kubernetes/test/utils/ktesting"
)

// hookRunner counts the hooks of containers by name. Those that the test names fail.
type hookRunner struct {
	lock  sync.Mutex
	runs  map[string]int
	fails map[string]bool
}

func (r *hookRunner) Run(_ context.Context, _ kubecontainer.ContainerID, _ *v1.Pod, container *v1.Container, _ *v1.LifecycleHandler) (string, error) {
	r.lock.Lock()
	defer r.lock.Unlock()
	r.runs[container.Name]++
	if r.fails[container.Name] {
		return "", errors.New("the hook fails")
	}
	return "", nil
}

// kubeletOf returns a new runtime manager on the runtime, as a restarted kubelet has.
func kubeletOf(t *testing.T, ctx context.Context, runtime *apitest.FakeRuntimeService) (*kubeGenericRuntimeManager, *hookRunner) {
	_, _, m, err := createTestRuntimeManager(ctx)
	require.NoError(t, err)
	runner := &hookRunner{runs: map[string]int{}, fails: map[string]bool{}}
	m.runtimeService, m.runner = runtime, runner
	return m, runner
}

func containerNames(fake *apitest.FakeRuntimeService, state runtimeapi.ContainerState) []string {
	var names []string
	for _, c := range fake.Containers {
		if c.State == state {
			names = append(names, c.Metadata.Name)
		}
	}
	slices.Sort(names)
	return names
}

// A kubelet that was restarted while app containers wait runs the postStart hooks of
// their sidecars again, since it cannot know whether they had come to their end.
func TestPostStartHooksAfterKubeletRestart(t *testing.T) {
	enableSidecars(t)
	tCtx := ktesting.Init(t)
	pod := makeSidecarPod(v1.RestartPolicyNever)
	pod.Spec.Containers[proxyIdx].Lifecycle.PostStart = &v1.LifecycleHandler{Exec: &v1.ExecAction{Command: []string{"hook"}}}
	backOff := flowcontrol.NewBackOff(time.Millisecond, time.Millisecond)
	fakeRuntime, _, first, err := createTestRuntimeManager(tCtx)
	require.NoError(t, err)
	sync := func(m *kubeGenericRuntimeManager) error {
		status := &kubecontainer.PodStatus{}
		if runtimePod, err := m.GetPod(tCtx, pod.UID); err == nil {
			status, err = m.GetPodStatus(tCtx, runtimePod)
			require.NoError(t, err)
		}
		result := m.SyncPod(tCtx, pod, status, nil, backOff, false)
		return result.Error()
	}
	runner := &hookRunner{runs: map[string]int{}}
	first.runner = runner
	require.NoError(t, sync(first))
	assert.Equal(t, map[string]int{"proxy": 1}, runner.runs)

	// The hook fails under the second kubelet: the app must not start.
	second, runner := kubeletOf(t, tCtx, fakeRuntime)
	runner.fails["proxy"] = true
	require.ErrorContains(t, sync(second), ErrPostStartHook.Error())
	assert.NotZero(t, runner.runs["proxy"])
	assert.Equal(t, []string{"shipper"}, containerNames(fakeRuntime, runtimeapi.ContainerState_CONTAINER_RUNNING), "a sidecar whose hook fails is killed")

	// It is started again, and interrupted once more.
	runner.fails["proxy"] = false
	time.Sleep(20 * time.Millisecond) // the back-off
	require.NoError(t, sync(second))
	assert.Equal(t, []string{"proxy", "shipper"}, containerNames(fakeRuntime, runtimeapi.ContainerState_CONTAINER_RUNNING))

	third, runner := kubeletOf(t, tCtx, fakeRuntime)
	require.NoError(t, sync(third))
	assert.Equal(t, map[string]int{"proxy": 1}, runner.runs)
	assert.Equal(t, []string{"app", "proxy", "shipper"}, containerNames(fakeRuntime, runtimeapi.ContainerState_CONTAINER_RUNNING), "the app starts in the sync in which the hook has succeeded")

	// Nobody waits for the hook any more.
	fourth, runner := kubeletOf(t, tCtx, fakeRuntime)
	require.NoError(t, sync(fourth))
	assert.Empty(t, runner.runs)
}

func TestPostStartHooksAreForgotten(t *testing.T) {
	enableSidecars(t)
	tCtx := ktesting.Init(t)
	_, _, m, err := createTestRuntimeManager(tCtx)
	require.NoError(t, err)
	pod := makeSidecarPod(v1.RestartPolicyNever)
	pod.Spec.Containers[proxyIdx].Lifecycle.PostStart = &v1.LifecycleHandler{}
	remembered := func() bool {
		status := makeSidecarPodStatus(pod, map[string]*kubecontainer.Status{"proxy": running()})
		return len(m.sidecarMemory.Interrupted(pod, status)) == 0
	}
	proxy := kubecontainer.ContainerID{Type: "test", ID: "proxy"}

	m.sidecarMemory.PostStartSucceeded(pod.UID, proxy)
	require.True(t, remembered())
	m.computePodActions(tCtx, pod, makeSidecarPodStatus(pod, map[string]*kubecontainer.Status{"proxy": running(), "app": running()}), false)
	assert.False(t, remembered(), "when the app has been started")

	m.sidecarMemory.PostStartSucceeded(pod.UID, proxy)
	require.True(t, remembered())
	m.killContainersWithSyncResult(tCtx, pod, kubecontainer.Pod{ID: pod.UID, Name: pod.Name, Namespace: pod.Namespace,
		Containers: []*kubecontainer.Container{{ID: proxy, Name: "proxy"}}}, nil)
	assert.False(t, remembered(), "when the pod is killed")

	m.sidecarMemory.PostStartSucceeded(pod.UID, proxy)
	m.killContainersWithSyncResult(tCtx, pod, kubecontainer.Pod{ID: pod.UID, Name: pod.Name, Namespace: pod.Namespace}, nil)
	assert.False(t, remembered(), "when the pod is killed while no container runs")
}

// endlessRunner runs hooks that end when their context does, and tells when they begin.
type endlessRunner struct {
	begun chan string
}

func (r *endlessRunner) Run(ctx context.Context, _ kubecontainer.ContainerID, _ *v1.Pod, container *v1.Container, _ *v1.LifecycleHandler) (string, error) {
	r.begun <- container.Name
	<-ctx.Done()
	return "", ctx.Err()
}

// A pod that is deleted while a postStart hook runs does not wait for it: neither the
// hook of a sidecar that was just started nor one that is run again holds it up, no
// container is killed out of turn, and the app is not started.
func TestPostStartHooksEndWithThePod(t *testing.T) {
	for _, again := range []bool{false, true} {
		t.Run(fmt.Sprintf("run again: %v", again), func(t *testing.T) {
			enableSidecars(t)
			tCtx := ktesting.Init(t)
			pod := makeSidecarPod(v1.RestartPolicyAlways)
			pod.Spec.Containers[proxyIdx].Lifecycle.PostStart = &v1.LifecycleHandler{Exec: &v1.ExecAction{Command: []string{"hook"}}}
			backOff := flowcontrol.NewBackOff(time.Millisecond, time.Millisecond)
			fakeRuntime, _, m, err := createTestRuntimeManager(tCtx)
			require.NoError(t, err)
			status := &kubecontainer.PodStatus{}
			if again {
				m.runner = &hookRunner{runs: map[string]int{}}
				result := m.SyncPod(tCtx, pod, status, nil, backOff, false)
				require.NoError(t, result.Error())
				m, _ = kubeletOf(t, tCtx, fakeRuntime)
				runtimePod, err := m.GetPod(tCtx, pod.UID)
				require.NoError(t, err)
				status, err = m.GetPodStatus(tCtx, runtimePod)
				require.NoError(t, err)
			}
			runner := &endlessRunner{begun: make(chan string, 2)}
			m.runner = runner
			provider := m.podStateProvider.(*fakePodStateProvider)
			var deleted atomic.Bool
			m.podStateProvider = terminating{provider, &deleted}
			done := make(chan struct{})
			go func() {
				defer close(done)
				m.SyncPod(tCtx, pod, status, nil, backOff, false)
			}()
			assert.Equal(t, "proxy", <-runner.begun)
			deleted.Store(true)
			select {
			case <-done:
			case <-time.After(30 * time.Second):
				t.Fatal("the sync waits for the hook")
			}
			assert.Equal(t, []string{"proxy", "shipper"}, containerNames(fakeRuntime, runtimeapi.ContainerState_CONTAINER_RUNNING))
			assert.Empty(t, containerNames(fakeRuntime, runtimeapi.ContainerState_CONTAINER_EXITED))
		})
	}
}

// terminating says that every pod is to be terminated once deleted is true.
type terminating struct {
	*fakePodStateProvider
	deleted *atomic.Bool
}

func (p terminating) IsPodTerminationRequested(types.UID) bool { return p.deleted.Load() }
