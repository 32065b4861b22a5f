/*
Copyright The Sidecar Node Authors.

SPDX-License-Identifier: Apache-2.0
*/

package kuberuntime

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	v1 "k8s.io/api/core/v1"
	kubecontainer "k8s.io/kubernetes/pkg/kubelet/container"
	proberesults "k8s.io/kubernetes/pkg/kubelet/prober/results"
	"k8s.io/kubernetes/test/utils/ktesting"
)

// TestSidecarInterleavings lets containers end and become ready in any order, and
// syncs after every step, or only after several of them. Whatever the order is, the
// app starts when all sidecars are ready and not before, a sidecar that ends is
// brought back as long as the app may run, and nothing is started when it is done.
func TestSidecarInterleavings(t *testing.T) {
	const rounds = 300
	for _, policy := range []v1.RestartPolicy{v1.RestartPolicyNever, v1.RestartPolicyOnFailure} {
		t.Run(string(policy), func(t *testing.T) {
			enableSidecars(t)
			tCtx := ktesting.Init(t)
			_, _, m, err := createTestRuntimeManager(tCtx)
			require.NoError(t, err)
			completed := 0
			for seed := range uint64(rounds) {
				m.readinessManager = proberesults.NewManager()
				pod := makeSidecarPod(policy)
				pod.Spec.Containers[proxyIdx].ReadinessProbe = &v1.Probe{}
				w := &sidecarWorld{t: t, m: m, pod: pod, random: rand.New(rand.NewPCG(seed, 753)), containers: map[string]*kubecontainer.Status{}}
				w.run(tCtx, fmt.Sprintf("seed %d", seed))
				if w.done {
					completed++
				}
			}
			require.Greater(t, completed, rounds/2, "most rounds have to reach the end")
		})
	}
}

// sidecarWorld is a pod and what has become of its containers.
type sidecarWorld struct {
	t          *testing.T
	m          *kubeGenericRuntimeManager
	pod        *v1.Pod
	random     *rand.Rand
	containers map[string]*kubecontainer.Status
	created    int
	started    bool // the app has been started once
	done       bool // the app has ended for good
	history    []string
}

func (w *sidecarWorld) note(format string, args ...any) {
	w.history = append(w.history, fmt.Sprintf(format, args...))
}

func (w *sidecarWorld) run(ctx ktesting.TContext, name string) {
	for range 60 {
		w.step()
		if w.random.IntN(3) > 0 {
			w.sync(ctx, name)
		}
	}
}

// step lets something happen to a container that runs.
func (w *sidecarWorld) step() {
	var names []string
	for _, c := range w.pod.Spec.Containers {
		if s := w.containers[c.Name]; s != nil && s.State == kubecontainer.ContainerStateRunning {
			names = append(names, c.Name)
		}
	}
	if len(names) == 0 {
		return
	}
	name := names[w.random.IntN(len(names))]
	status := w.containers[name]
	if name == "proxy" && w.random.IntN(2) == 0 {
		result := proberesults.Success
		if w.random.IntN(3) == 0 {
			result = proberesults.Failure
		}
		w.m.readinessManager.Set(status.ID, result, w.pod)
		w.note("probe of proxy: %v", result)
		return
	}
	if w.random.IntN(3) > 0 {
		return
	}
	code := []int{0, 1, 137, 143}[w.random.IntN(4)]
	status.State, status.ExitCode = kubecontainer.ContainerStateExited, code
	w.note("%s exits with %d", name, code)
	if name == "app" && (code == 0 || w.pod.Spec.RestartPolicy == v1.RestartPolicyNever) {
		w.done = true
	}
}

func (w *sidecarWorld) sync(ctx ktesting.TContext, name string) {
	copies := map[string]*kubecontainer.Status{}
	for name, s := range w.containers {
		c := *s
		copies[name] = &c
	}
	status := makeSidecarPodStatus(w.pod, copies)
	for name, s := range copies {
		s.ID = w.containers[name].ID
	}
	ready := true
	for _, sidecar := range []string{"proxy", "shipper"} {
		s := w.containers[sidecar]
		ready = ready && s != nil && s.State == kubecontainer.ContainerStateRunning
	}
	if s := w.containers["proxy"]; ready {
		result, found := w.m.readinessManager.Get(s.ID)
		ready = found && result == proberesults.Success
	}

	actions := w.m.computePodActions(ctx, w.pod, status, false)

	w.note("sync starts %v, kills the pod: %v", actions.ContainersToStart, actions.KillPod)
	require.Equal(w.t, w.done, actions.KillPod, "%s: the pod is killed when the app is done: %q", name, w.history)
	if w.done {
		require.Empty(w.t, actions.ContainersToStart, "%s: nothing starts after the end: %q", name, w.history)
		require.Empty(w.t, actions.InitContainersToStart, name)
		return
	}
	for idx, c := range w.pod.Spec.Containers {
		s := w.containers[c.Name]
		runs := s != nil && s.State == kubecontainer.ContainerStateRunning
		want := !runs
		if idx == appIdx {
			want = !runs && (w.started || ready)
		}
		require.Equal(w.t, want, slices.Contains(actions.ContainersToStart, idx), "%s: start of %s: %q", name, c.Name, w.history)
	}
	for _, idx := range actions.ContainersToStart {
		// A start may fail.
		if w.random.IntN(5) == 0 {
			continue
		}
		container := w.pod.Spec.Containers[idx].Name
		w.created++
		w.containers[container] = &kubecontainer.Status{
			Name: container, State: kubecontainer.ContainerStateRunning,
			ID: kubecontainer.ContainerID{Type: "test", ID: fmt.Sprintf("%s-%d", container, w.created)},
		}
		w.started = w.started || idx == appIdx
	}
}
