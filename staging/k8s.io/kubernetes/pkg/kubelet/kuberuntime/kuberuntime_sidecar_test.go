/*
Copyright The Sidecar Node Authors.

SPDX-License-Identifier: Apache-2.0
*/

package kuberuntime

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/tools/record"
	"k8s.io/client-go/util/flowcontrol"
	featuregatetesting "k8s.io/component-base/featuregate/testing"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
	apitest "k8s.io/cri-api/pkg/apis/testing"
	"k8s.io/kubernetes/pkg/features"
	kubecontainer "k8s.io/kubernetes/pkg/kubelet/container"
	proberesults "k8s.io/kubernetes/pkg/kubelet/prober/results"
	"k8s.io/kubernetes/pkg/kubelet/sidecar"
	"k8s.io/kubernetes/test/utils/ktesting"
	"k8s.io/utils/ptr"
)

func enableSidecars(t *testing.T) {
	featuregatetesting.SetFeatureGateDuringTest(t, utilfeature.DefaultFeatureGate, features.SidecarContainers, true)
}

// makeSidecarPod returns a pod with a sidecar on either side of its app container,
// to show that the order in the spec does not matter.
func makeSidecarPod(policy v1.RestartPolicy) *v1.Pod {
	asSidecar := func(name string) v1.Container {
		return v1.Container{Name: name, Image: "busybox", ImagePullPolicy: v1.PullIfNotPresent, Lifecycle: &v1.Lifecycle{Type: ptr.To(v1.LifecycleTypeSidecar)}}
	}
	return &v1.Pod{
		ObjectMeta: metav1.ObjectMeta{UID: "12345678", Name: "foo", Namespace: "new"},
		Spec: v1.PodSpec{
			RestartPolicy:                 policy,
			TerminationGracePeriodSeconds: ptr.To[int64](10),
			Containers: []v1.Container{
				asSidecar("proxy"),
				{Name: "app", Image: "busybox", ImagePullPolicy: v1.PullIfNotPresent},
				asSidecar("shipper"),
			},
		},
	}
}

const (
	proxyIdx = iota
	appIdx
	shipperIdx
)

func exited(code int) *kubecontainer.Status {
	return &kubecontainer.Status{State: kubecontainer.ContainerStateExited, ExitCode: code}
}

func inState(state kubecontainer.State) *kubecontainer.Status {
	return &kubecontainer.Status{State: state}
}

func running() *kubecontainer.Status { return inState(kubecontainer.ContainerStateRunning) }

// makeSidecarPodStatus returns the status of the pod in its first sandbox, with the
// given containers in it.
func makeSidecarPodStatus(pod *v1.Pod, containers map[string]*kubecontainer.Status) *kubecontainer.PodStatus {
	status := &kubecontainer.PodStatus{
		ID: pod.UID, Name: pod.Name, Namespace: pod.Namespace,
		SandboxStatuses: []*runtimeapi.PodSandboxStatus{{
			Id:       "sandbox",
			State:    runtimeapi.PodSandboxState_SANDBOX_READY,
			Metadata: &runtimeapi.PodSandboxMetadata{Name: pod.Name, Namespace: pod.Namespace, Uid: "sandbox"},
			Network:  &runtimeapi.PodSandboxNetworkStatus{Ip: "10.0.0.1"},
		}},
	}
	for name, s := range containers {
		container := kubecontainer.GetContainerSpec(pod, name)
		s.Name, s.ID = name, kubecontainer.ContainerID{Type: "test", ID: name}
		if s.Hash == 0 {
			s.Hash = kubecontainer.HashContainer(container)
		}
		status.ContainerStatuses = append(status.ContainerStatuses, s)
	}
	status.ActiveContainerStatuses = status.ContainerStatuses
	return status
}

func loseSandbox(status *kubecontainer.PodStatus) {
	status.SandboxStatuses[0].State = runtimeapi.PodSandboxState_SANDBOX_NOTREADY
	status.ActiveContainerStatuses = nil
	for _, s := range status.ContainerStatuses {
		if s.State == kubecontainer.ContainerStateRunning {
			s.State, s.ExitCode = kubecontainer.ContainerStateExited, 137
		}
	}
}

func TestComputePodActionsWithSidecars(t *testing.T) {
	type containers map[string]*kubecontainer.Status
	all := []v1.RestartPolicy{v1.RestartPolicyAlways, v1.RestartPolicyOnFailure, v1.RestartPolicyNever}
	once := []v1.RestartPolicy{v1.RestartPolicyOnFailure, v1.RestartPolicyNever}
	readinessProbe := func(pod *v1.Pod) { pod.Spec.Containers[proxyIdx].ReadinessProbe = &v1.Probe{} }
	for name, test := range map[string]struct {
		policies   []v1.RestartPolicy
		mutatePod  func(*v1.Pod)
		containers containers
		ready      proberesults.Result
		lost       bool
		reset      bool // all containers were removed for RestartAllContainers
		start      []int
		kill       []string
		killPod    bool
		sandbox    bool
	}{
		"new pod starts the sidecars":                            {policies: all, lost: true, start: []int{proxyIdx, shipperIdx}, killPod: true, sandbox: true},
		"app waits for a sidecar that is not created":            {policies: all, containers: containers{"proxy": running()}, start: []int{shipperIdx}},
		"app waits for an unready sidecar":                       {policies: all, mutatePod: readinessProbe, ready: proberesults.Failure, containers: containers{"proxy": running(), "shipper": running()}},
		"app starts once all are ready":                          {policies: all, mutatePod: readinessProbe, ready: proberesults.Success, containers: containers{"proxy": running(), "shipper": running()}, start: []int{appIdx}},
		"app starts once all run, without probes":                {policies: all, containers: containers{"proxy": running(), "shipper": running()}, start: []int{appIdx}},
		"sidecar that ended before the app started is restarted": {policies: all, containers: containers{"proxy": exited(0), "shipper": running()}, start: []int{proxyIdx}},
		"all sidecars ended before the app started":              {policies: all, containers: containers{"proxy": exited(0), "shipper": exited(1)}, start: []int{proxyIdx, shipperIdx}},
		"sidecar stuck in created is restarted":                  {policies: all, containers: containers{"proxy": inState(kubecontainer.ContainerStateCreated), "shipper": running()}, start: []int{proxyIdx}},
		"sidecar in unknown state is killed and restarted":       {policies: all, containers: containers{"proxy": inState(kubecontainer.ContainerStateUnknown), "shipper": running(), "app": running()}, start: []int{proxyIdx}, kill: []string{"proxy"}},
		"sidecar that fails beside the app is restarted":         {policies: all, containers: containers{"proxy": exited(1), "shipper": running(), "app": running()}, start: []int{proxyIdx}},
		"sidecar that ends well beside the app is restarted":     {policies: all, containers: containers{"proxy": exited(0), "shipper": running(), "app": running()}, start: []int{proxyIdx}},
		"app in back-off is not gated again": {
			policies: []v1.RestartPolicy{v1.RestartPolicyAlways, v1.RestartPolicyOnFailure}, mutatePod: readinessProbe, ready: proberesults.Failure,
			containers: containers{"proxy": running(), "shipper": exited(1), "app": exited(1)}, start: []int{appIdx, shipperIdx},
		},
		"app that could not be started is retried": {policies: all, mutatePod: readinessProbe, ready: proberesults.Failure, containers: containers{"proxy": running(), "shipper": running(), "app": inState(kubecontainer.ContainerStateCreated)}, start: []int{appIdx}},
		"app done, sidecars running":               {policies: once, containers: containers{"proxy": running(), "shipper": running(), "app": exited(0)}, killPod: true},
		"app done, one sidecar gone with an error": {policies: once, containers: containers{"proxy": exited(1), "shipper": running(), "app": exited(0)}, killPod: true},
		"app done, all gone":                       {policies: once, containers: containers{"proxy": exited(143), "shipper": exited(137), "app": exited(0)}, killPod: true},
		"app done, sidecar never created":          {policies: once, containers: containers{"proxy": running(), "app": exited(0)}, killPod: true},
		"app failed for good":                      {policies: []v1.RestartPolicy{v1.RestartPolicyNever}, containers: containers{"proxy": running(), "shipper": running(), "app": exited(3)}, killPod: true},
		"app failed, is retried beside the same sidecars": {
			policies:   []v1.RestartPolicy{v1.RestartPolicyOnFailure},
			containers: containers{"proxy": running(), "shipper": running(), "app": exited(3)}, start: []int{appIdx},
		},
		"new image of a sidecar restarts it alone": {policies: all, containers: containers{"proxy": {State: kubecontainer.ContainerStateRunning, Hash: 1}, "shipper": running(), "app": running()}, start: []int{proxyIdx}, kill: []string{"proxy"}},
		"new image of a sidecar, app waits":        {policies: all, containers: containers{"proxy": {State: kubecontainer.ContainerStateRunning, Hash: 1}, "shipper": exited(1)}, start: []int{proxyIdx, shipperIdx}, kill: []string{"proxy"}},
		"new image of a sidecar, app done":         {policies: once, containers: containers{"proxy": {State: kubecontainer.ContainerStateRunning, Hash: 1}, "shipper": running(), "app": exited(0)}, killPod: true, kill: []string{"proxy"}},
		"container policy of the app decides": {
			policies:   all,
			mutatePod:  func(pod *v1.Pod) { pod.Spec.Containers[appIdx].RestartPolicy = ptr.To(v1.ContainerRestartPolicyNever) },
			containers: containers{"proxy": running(), "shipper": running(), "app": exited(1)}, killPod: true,
		},
		"all containers restart in place":          {policies: all, reset: true, start: []int{proxyIdx, shipperIdx}},
		"all containers restart in place, halfway": {policies: all, containers: containers{"proxy": running(), "shipper": running()}, start: []int{appIdx}},
		"restart rule of the app decides": {
			policies: all,
			mutatePod: func(pod *v1.Pod) {
				pod.Spec.Containers[appIdx].RestartPolicy = ptr.To(v1.ContainerRestartPolicyNever)
				pod.Spec.Containers[appIdx].RestartPolicyRules = []v1.ContainerRestartRule{{
					Action:    v1.ContainerRestartRuleActionRestart,
					ExitCodes: &v1.ContainerRestartRuleOnExitCodes{Operator: v1.ContainerRestartRuleOnExitCodesOpIn, Values: []int32{42}},
				}}
			},
			containers: containers{"proxy": running(), "shipper": exited(1), "app": exited(42)}, start: []int{appIdx, shipperIdx},
		},
		"ephemeral container does not keep the pod": {
			policies: once,
			mutatePod: func(pod *v1.Pod) {
				pod.Spec.EphemeralContainers = []v1.EphemeralContainer{{EphemeralContainerCommon: v1.EphemeralContainerCommon{Name: "debug"}}}
			},
			containers: containers{"proxy": running(), "shipper": running(), "app": exited(0), "debug": running()}, killPod: true,
		},
		"new image of the last sidecar to become ready": {
			policies: all, mutatePod: readinessProbe, ready: proberesults.Success,
			containers: containers{"proxy": {State: kubecontainer.ContainerStateRunning, Hash: 1}, "shipper": running()}, start: []int{proxyIdx}, kill: []string{"proxy"},
		},
		"sandbox lost, app is to run again": {
			policies: []v1.RestartPolicy{v1.RestartPolicyAlways, v1.RestartPolicyOnFailure}, lost: true,
			containers: containers{"proxy": running(), "shipper": running(), "app": running()}, start: []int{proxyIdx, shipperIdx}, killPod: true, sandbox: true,
		},
		"sandbox lost, sidecars that succeeded are started again": {
			policies: []v1.RestartPolicy{v1.RestartPolicyOnFailure}, lost: true,
			containers: containers{"proxy": exited(0), "shipper": exited(0), "app": running()}, start: []int{proxyIdx, shipperIdx}, killPod: true, sandbox: true,
		},
		"sandbox lost, app has succeeded":        {policies: once, lost: true, containers: containers{"proxy": running(), "shipper": running(), "app": exited(0)}, killPod: true},
		"sandbox lost, app must not run again":   {policies: []v1.RestartPolicy{v1.RestartPolicyNever}, lost: true, containers: containers{"proxy": running(), "shipper": running(), "app": running()}, killPod: true},
		"sandbox lost while the app was waiting": {policies: all, lost: true, containers: containers{"proxy": running(), "shipper": running()}, start: []int{proxyIdx, shipperIdx}, killPod: true, sandbox: true},
		"deleted while the app was waiting": {
			policies: all, mutatePod: func(pod *v1.Pod) { pod.DeletionTimestamp = &metav1.Time{Time: time.Now()} },
			containers: containers{"proxy": exited(1), "shipper": exited(1)}, killPod: true,
		},
	} {
		for _, policy := range test.policies {
			t.Run(fmt.Sprintf("%s/%s", name, policy), func(t *testing.T) {
				enableSidecars(t)
				tCtx := ktesting.Init(t)
				_, _, m, err := createTestRuntimeManager(tCtx)
				require.NoError(t, err)
				m.readinessManager = proberesults.NewManager()
				pod := makeSidecarPod(policy)
				if test.mutatePod != nil {
					test.mutatePod(pod)
				}
				copies := containers{}
				for name, s := range test.containers {
					copies[name] = ptr.To(*s)
				}
				status := makeSidecarPodStatus(pod, copies)
				m.readinessManager.Set(kubecontainer.ContainerID{Type: "test", ID: "proxy"}, test.ready, pod)
				if test.lost {
					status.SandboxStatuses[0].Metadata.Attempt = 1
					loseSandbox(status)
				}
				if len(test.containers) == 0 && !test.reset {
					status.SandboxStatuses = nil
				}

				actions := m.computePodActions(tCtx, pod, status, false)

				start := append([]int{}, actions.ContainersToStart...)
				slices.Sort(start)
				assert.Equal(t, append([]int{}, test.start...), start, "ContainersToStart")
				assert.Equal(t, test.killPod, actions.KillPod, "KillPod")
				assert.Equal(t, test.sandbox, actions.CreateSandbox, "CreateSandbox")
				var kill []string
				for id := range actions.ContainersToKill {
					kill = append(kill, id.ID)
				}
				assert.ElementsMatch(t, test.kill, kill, "ContainersToKill")
			})
		}
	}
}

func TestComputePodActionsProbeFailureOfSidecar(t *testing.T) {
	for _, policy := range []v1.RestartPolicy{v1.RestartPolicyAlways, v1.RestartPolicyOnFailure, v1.RestartPolicyNever} {
		for _, probe := range []string{"liveness", "startup"} {
			t.Run(fmt.Sprintf("%s/%s", policy, probe), func(t *testing.T) {
				enableSidecars(t)
				tCtx := ktesting.Init(t)
				_, _, m, err := createTestRuntimeManager(tCtx)
				require.NoError(t, err)
				pod := makeSidecarPod(policy)
				pod.Spec.Containers[proxyIdx].StartupProbe = &v1.Probe{}
				status := makeSidecarPodStatus(pod, map[string]*kubecontainer.Status{"proxy": running(), "shipper": running()})
				manager := map[string]proberesults.Manager{"liveness": m.livenessManager, "startup": m.startupManager}[probe]
				manager.Set(kubecontainer.ContainerID{Type: "test", ID: "proxy"}, proberesults.Failure, pod)

				actions := m.computePodActions(tCtx, pod, status, false)

				assert.False(t, actions.KillPod)
				assert.Equal(t, []int{proxyIdx}, actions.ContainersToStart, "the sidecar is restarted whatever the policy")
				assert.Len(t, actions.ContainersToKill, 1)
			})
		}
	}
}

func TestComputePodActionsGateOff(t *testing.T) {
	tCtx := ktesting.Init(t)
	_, _, m, err := createTestRuntimeManager(tCtx)
	require.NoError(t, err)
	featuregatetesting.SetFeatureGateDuringTest(t, utilfeature.DefaultFeatureGate, features.SidecarContainers, false)
	pod := makeSidecarPod(v1.RestartPolicyNever)
	status := makeSidecarPodStatus(pod, map[string]*kubecontainer.Status{"proxy": exited(1)})
	actions := m.computePodActions(tCtx, pod, status, false)
	assert.Equal(t, []int{appIdx, shipperIdx}, actions.ContainersToStart, "sidecars are ordinary containers")
	status = makeSidecarPodStatus(pod, map[string]*kubecontainer.Status{"proxy": running(), "shipper": running(), "app": exited(0)})
	assert.False(t, m.computePodActions(tCtx, pod, status, false).KillPod, "a running sidecar keeps the pod")
}

// The gate must cost pods without sidecars nothing that a garbage collector sees.
func TestComputePodActionsAllocatesNoMoreWithTheGate(t *testing.T) {
	tCtx := ktesting.Init(t)
	_, _, m, err := createTestRuntimeManager(tCtx)
	require.NoError(t, err)
	for name, create := range map[string]func() (*v1.Pod, *kubecontainer.PodStatus){
		"running": makeBasePodAndStatus,
		"init":    makeBasePodAndStatusWithInitContainers,
		"native":  makeBasePodAndStatusWithRestartableInitContainers,
	} {
		t.Run(name, func(t *testing.T) {
			allocs := map[bool]float64{}
			for _, gate := range []bool{false, true} {
				featuregatetesting.SetFeatureGateDuringTest(t, utilfeature.DefaultFeatureGate, features.SidecarContainers, gate)
				pod, status := create()
				// Maps do not always need the same: the least of several runs does not vary.
				allocs[gate] = math.Inf(1)
				for range 5 {
					allocs[gate] = min(allocs[gate], testing.AllocsPerRun(100, func() { m.computePodActions(context.Background(), pod, status, false) }))
				}
			}
			assert.Equal(t, allocs[false], allocs[true])
		})
	}
}

func TestSyncPodWithSidecars(t *testing.T) {
	enableSidecars(t)
	tCtx := ktesting.Init(t)
	fakeRuntime, _, m, err := createTestRuntimeManager(tCtx)
	require.NoError(t, err)
	pod := makeSidecarPod(v1.RestartPolicyNever)
	backOff := flowcontrol.NewBackOff(time.Second, time.Minute)
	names := func() []string {
		var names []string
		for _, c := range fakeRuntime.Containers {
			names = append(names, c.Metadata.Name)
		}
		slices.Sort(names)
		return names
	}

	result := m.SyncPod(tCtx, pod, &kubecontainer.PodStatus{}, nil, backOff, false)
	require.NoError(t, result.Error())
	assert.Equal(t, []string{"proxy", "shipper"}, names(), "the first sync starts the sidecars only")
	for _, c := range fakeRuntime.Containers {
		assert.Equal(t, "1", c.Annotations[containerShutdownStageLabel], "stage of %s", c.Metadata.Name)
	}

	runtimePod, err := m.GetPod(tCtx, pod.UID)
	require.NoError(t, err)
	status, err := m.GetPodStatus(tCtx, runtimePod)
	require.NoError(t, err)
	result = m.SyncPod(tCtx, pod, status, nil, backOff, false)
	require.NoError(t, result.Error())
	assert.Equal(t, []string{"app", "proxy", "shipper"}, names())
}

// meetingRunner runs postStart hooks that end only when all of them are running.
type meetingRunner struct {
	wg sync.WaitGroup
}

func (r *meetingRunner) Run(context.Context, kubecontainer.ContainerID, *v1.Pod, *v1.Container, *v1.LifecycleHandler) (string, error) {
	r.wg.Done()
	met := make(chan struct{})
	go func() { r.wg.Wait(); close(met) }()
	select {
	case <-met:
		return "", nil
	case <-time.After(30 * time.Second):
		return "", errors.New("the other hook has not been started")
	}
}

func TestSidecarsStartSideBySide(t *testing.T) {
	enableSidecars(t)
	tCtx := ktesting.Init(t)
	_, _, m, err := createTestRuntimeManager(tCtx)
	require.NoError(t, err)
	runner := &meetingRunner{}
	runner.wg.Add(2)
	m.runner = runner
	pod := makeSidecarPod(v1.RestartPolicyNever)
	hook := &v1.LifecycleHandler{Exec: &v1.ExecAction{Command: []string{"hook"}}}
	pod.Spec.Containers[proxyIdx].Lifecycle.PostStart = hook
	pod.Spec.Containers[shipperIdx].Lifecycle.PostStart = hook

	result := m.SyncPod(tCtx, pod, &kubecontainer.PodStatus{}, nil, flowcontrol.NewBackOff(time.Second, time.Minute), false)

	require.NoError(t, result.Error())
	var started []string
	for _, r := range result.SyncResults {
		if r.Action == kubecontainer.StartContainer {
			started = append(started, r.Target.(string))
		}
	}
	assert.ElementsMatch(t, []string{"proxy", "shipper"}, started)
}

// stopJournal is a runtime and a hook runner that note what is done to containers,
// and when. Containers and hooks take as long as the test says, in seconds; those
// that the test does not name end at once.
type stopJournal struct {
	*apitest.FakeRuntimeService
	start  time.Time
	takes  map[string]float64
	lock   sync.Mutex
	events map[string]float64
	hooks  map[string]int
}

func (j *stopJournal) note(event string) {
	j.lock.Lock()
	defer j.lock.Unlock()
	j.events[event] = time.Since(j.start).Seconds()
}

func (j *stopJournal) StopContainer(_ context.Context, id string, timeout int64) error {
	j.note(id + " TERM")
	takes, ok := j.takes[id]
	if ok && takes < 0 {
		return errors.New("cannot be stopped")
	}
	time.Sleep(time.Duration(min(takes, float64(timeout)) * float64(time.Second)))
	j.note(id + " exit")
	return nil
}

func (j *stopJournal) Run(_ context.Context, id kubecontainer.ContainerID, _ *v1.Pod, _ *v1.Container, _ *v1.LifecycleHandler) (string, error) {
	j.note(id.ID + " hook")
	j.lock.Lock()
	j.hooks[id.ID]++
	j.lock.Unlock()
	time.Sleep(time.Duration(j.takes[id.ID+" hook"] * float64(time.Second)))
	return "", nil
}

// killSidecarPod kills the pod, of which the named containers run, and returns the
// journal and how many seconds it took.
func killSidecarPod(t *testing.T, pod *v1.Pod, names []string, takes map[string]float64, override *int64) (*stopJournal, float64) {
	return killSidecarPodRecording(t, record.NewFakeRecorder(20), pod, names, takes, override)
}

func killSidecarPodRecording(t *testing.T, recorder *record.FakeRecorder, pod *v1.Pod, names []string, takes map[string]float64, override *int64) (*stopJournal, float64) {
	ctx := context.Background()
	_, _, m, err := createTestRuntimeManager(ctx)
	require.NoError(t, err)
	m.recorder = recorder
	journal := &stopJournal{FakeRuntimeService: apitest.NewFakeRuntimeService(), start: time.Now(), takes: takes, events: map[string]float64{}, hooks: map[string]int{}}
	m.runtimeService, m.runner = journal, journal
	runningPod := kubecontainer.Pod{ID: pod.UID, Name: pod.Name, Namespace: pod.Namespace}
	for _, name := range names {
		runningPod.Containers = append(runningPod.Containers, &kubecontainer.Container{
			ID: kubecontainer.ContainerID{Type: "test", ID: name}, Name: name, ShutdownStage: int(shutdownStage(pod, name)),
		})
	}
	m.killContainersWithSyncResult(ctx, pod, runningPod, override)
	took := time.Since(journal.start).Seconds()
	// A hook that is given up goes on, let it end.
	time.Sleep(time.Hour)
	return journal, took
}

func TestKillPodWithSidecars(t *testing.T) {
	enableSidecars(t)
	withHooks := func(pod *v1.Pod) *v1.Pod {
		for i := range pod.Spec.Containers {
			c := &pod.Spec.Containers[i]
			if c.Lifecycle == nil {
				c.Lifecycle = &v1.Lifecycle{}
			}
			c.Lifecycle.PreStop = &v1.LifecycleHandler{Exec: &v1.ExecAction{Command: []string{"hook"}}}
		}
		return pod
	}
	everything := []string{"proxy", "app", "shipper"}

	t.Run("app first, sidecar hooks at their turn", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			journal, took := killSidecarPod(t, withHooks(makeSidecarPod(v1.RestartPolicyAlways)), everything,
				map[string]float64{"app": 3, "app hook": 1, "proxy hook": 2, "proxy": 1}, nil)
			e := journal.events
			assert.Zero(t, e["app hook"])
			assert.Equal(t, 1.0, e["app TERM"])
			assert.Equal(t, 4.0, e["proxy hook"], "hook of a sidecar when the app has ended")
			assert.Equal(t, 4.0, e["shipper hook"])
			assert.Equal(t, 6.0, e["proxy TERM"])
			assert.Equal(t, 4.0, e["shipper TERM"], "sidecars do not wait for each other")
			assert.Equal(t, map[string]int{"proxy": 1, "app": 1, "shipper": 1}, journal.hooks)
			assert.Equal(t, 7.0, took)
		})
	})
	for name, takes := range map[string]map[string]float64{
		"deaf app":                  {"app": 100},
		"deaf sidecar":              {"app": 1, "proxy": 100},
		"endless hook of the app":   {"app hook": 100},
		"endless hook of a sidecar": {"proxy hook": 100},
		"everything":                {"app": 100, "app hook": 100, "proxy": 100, "proxy hook": 100, "shipper": 100, "shipper hook": 100},
		"slow at both ends":         {"app": 5.9, "app hook": 3.9, "proxy": 100, "proxy hook": 100},
		"fractions":                 {"app": 3.7, "proxy hook": 3.7, "proxy": 100},
	} {
		t.Run("one budget: "+name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				journal, took := killSidecarPod(t, withHooks(makeSidecarPod(v1.RestartPolicyAlways)), everything, takes, nil)
				assert.LessOrEqual(t, took, 12.1, "%v", journal.events)
				// Only a hook of the app that uses up everything ends the waiting early.
				if takes["app hook"] < 10 {
					for _, name := range []string{"proxy", "shipper"} {
						assert.GreaterOrEqual(t, journal.events[name+" TERM"], journal.events["app exit"], "%v", journal.events)
					}
				}
			})
		})
	}
	t.Run("override is the budget", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			_, took := killSidecarPod(t, withHooks(makeSidecarPod(v1.RestartPolicyAlways)), everything,
				map[string]float64{"app": 100, "proxy": 100, "proxy hook": 100}, ptr.To[int64](3))
			assert.LessOrEqual(t, took, 5.1)
		})
	})
	t.Run("grace 0 waits for nothing", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			journal, _ := killSidecarPod(t, withHooks(makeSidecarPod(v1.RestartPolicyAlways)), everything, map[string]float64{"app": 100}, ptr.To[int64](0))
			assert.Zero(t, journal.events["proxy TERM"])
			assert.Empty(t, journal.hooks)
		})
	})
	t.Run("what does not run does not block", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			_, took := killSidecarPod(t, makeSidecarPod(v1.RestartPolicyAlways), []string{"proxy", "shipper"}, nil, nil)
			assert.Zero(t, took)
		})
	})
	t.Run("what cannot be stopped does not block", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			journal, took := killSidecarPod(t, makeSidecarPod(v1.RestartPolicyAlways), everything, map[string]float64{"app": -1}, nil)
			assert.Zero(t, took)
			assert.Contains(t, journal.events, "proxy exit")
		})
	})
	t.Run("native sidecars last, in reverse order", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			pod := makeSidecarPod(v1.RestartPolicyAlways)
			for _, name := range []string{"native-1", "native-2"} {
				pod.Spec.InitContainers = append(pod.Spec.InitContainers, v1.Container{Name: name, RestartPolicy: ptr.To(v1.ContainerRestartPolicyAlways)})
			}
			journal, _ := killSidecarPod(t, pod, append(everything, "native-1", "native-2"), map[string]float64{"app": 1, "proxy": 1, "native-2": 1, "native-1": 1}, nil)
			assert.Equal(t, 1.0, journal.events["proxy TERM"])
			assert.Equal(t, 2.0, journal.events["native-2 TERM"])
			assert.Equal(t, 3.0, journal.events["native-1 TERM"])
		})
	})
	t.Run("pod known from the runtime alone", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			pod := makeSidecarPod(v1.RestartPolicyAlways)
			known := kubecontainer.Pod{ID: pod.UID, Name: pod.Name, Namespace: pod.Namespace}
			ctx := context.Background()
			_, _, m, err := createTestRuntimeManager(ctx)
			require.NoError(t, err)
			journal := &stopJournal{FakeRuntimeService: apitest.NewFakeRuntimeService(), start: time.Now(), takes: map[string]float64{"app": 1}, events: map[string]float64{}, hooks: map[string]int{}}
			m.runtimeService = journal
			for i := range pod.Spec.Containers {
				name := pod.Spec.Containers[i].Name
				annotations := newContainerAnnotations(ctx, &pod.Spec.Containers[i], pod, 0, &kubecontainer.RunContainerOptions{})
				container, err := m.toKubeContainer(ctx, &runtimeapi.Container{Id: name, Metadata: &runtimeapi.ContainerMetadata{Name: name}, Image: &runtimeapi.ImageSpec{}, Annotations: annotations})
				require.NoError(t, err)
				known.Containers = append(known.Containers, container)
			}
			m.killContainersWithSyncResult(ctx, known.ToAPIPod(), known, ptr.To[int64](5))
			assert.Equal(t, 1.0, journal.events["proxy TERM"])
			assert.Equal(t, 1.0, journal.events["shipper TERM"])
		})
	})
}

func TestShutdownStageIsKeptOnPodsWithSidecarsOnly(t *testing.T) {
	ctx := context.Background()
	pod := makeSidecarPod(v1.RestartPolicyAlways)
	stageOf := func(pod *v1.Pod, idx int) (string, bool) {
		value, found := newContainerAnnotations(ctx, &pod.Spec.Containers[idx], pod, 0, &kubecontainer.RunContainerOptions{})[containerShutdownStageLabel]
		return value, found
	}
	featuregatetesting.SetFeatureGateDuringTest(t, utilfeature.DefaultFeatureGate, features.SidecarContainers, false)
	_, found := stageOf(pod, proxyIdx)
	assert.False(t, found, "gate off")
	enableSidecars(t)
	value, _ := stageOf(pod, proxyIdx)
	assert.Equal(t, "1", value)
	value, _ = stageOf(pod, appIdx)
	assert.Equal(t, "0", value)
	assert.Equal(t, int(sidecar.StageSidecar), keptShutdownStage(ctx, map[string]string{containerShutdownStageLabel: "1"}))
	assert.Zero(t, keptShutdownStage(ctx, map[string]string{containerShutdownStageLabel: "late"}))
	plain := makeSidecarPod(v1.RestartPolicyAlways)
	for i := range plain.Spec.Containers {
		plain.Spec.Containers[i].Lifecycle = nil
	}
	_, found = stageOf(plain, proxyIdx)
	assert.False(t, found, "no sidecars")
}
