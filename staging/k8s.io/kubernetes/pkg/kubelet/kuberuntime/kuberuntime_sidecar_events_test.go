/*
Copyright The Sidecar Node Authors.

SPDX-License-Identifier: Apache-2.0
*/

package kuberuntime

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/record"
	"k8s.io/client-go/util/flowcontrol"
	compbasemetrics "k8s.io/component-base/metrics"
	"k8s.io/component-base/metrics/legacyregistry"
	"k8s.io/component-base/metrics/testutil"
	kubecontainer "k8s.io/kubernetes/pkg/kubelet/container"
	"k8s.io/kubernetes/pkg/kubelet/metrics"
	"k8s.io/kubernetes/test/utils/ktesting"
)

// initRecorder notes what counts as initialization for the SLI of pod startup.
type initRecorder struct {
	started, finished time.Time
}

func (r *initRecorder) RecordInitContainerStarted(_ types.UID, at time.Time)  { r.started = at }
func (r *initRecorder) RecordInitContainerFinished(_ types.UID, at time.Time) { r.finished = at }

func eventsOf(recorder *record.FakeRecorder, reason string) []string {
	var events []string
	for {
		select {
		case e := <-recorder.Events:
			if strings.Contains(e, reason) {
				events = append(events, e)
			}
		default:
			return events
		}
	}
}

// registerSidecarMetrics is for the case that other tests have registered the metrics
// of the kubelet while the feature gate was off.
func registerSidecarMetrics() {
	metrics.Register()
	for _, metric := range []compbasemetrics.Registerable{metrics.SidecarGateDuration, metrics.SidecarRestartsTotal} {
		_ = legacyregistry.Register(metric) // An error means that it is registered.
	}
}

func gateDurations(t *testing.T) (count uint64, sum float64) {
	count, err := testutil.GetHistogramMetricCount(metrics.SidecarGateDuration.ObserverMetric)
	require.NoError(t, err)
	sum, err = testutil.GetHistogramMetricValue(metrics.SidecarGateDuration.ObserverMetric)
	require.NoError(t, err)
	return count, sum
}

func TestGateOpenedIsRecorded(t *testing.T) {
	enableSidecars(t)
	registerSidecarMetrics()
	synctest.Test(t, func(t *testing.T) {
		tCtx := ktesting.Init(t)
		_, _, m, err := createTestRuntimeManager(tCtx)
		require.NoError(t, err)
		recorder := record.NewFakeRecorder(20)
		m.recorder = recorder
		sli := &initRecorder{}
		m.podInitContainerTimeRecorder = sli
		countBefore, sumBefore := gateDurations(t)
		pod := makeSidecarPod(v1.RestartPolicyNever)
		proxy, shipper, app := running(), running(), running()
		proxy.CreatedAt = time.Now()
		shipper.CreatedAt = time.Now().Add(2 * time.Second)
		time.Sleep(5 * time.Second)
		sync := func(containers map[string]*kubecontainer.Status) {
			status := makeSidecarPodStatus(pod, containers)
			actions := m.computePodActions(tCtx, pod, status, false)
			m.recordGateOpened(tCtx, pod, &actions)
		}

		sync(map[string]*kubecontainer.Status{"proxy": proxy})
		assert.Empty(t, eventsOf(recorder, "SidecarsReady"), "the gate is closed")

		sync(map[string]*kubecontainer.Status{"proxy": proxy, "shipper": shipper})
		assert.Equal(t, []string{"Normal SidecarsReady Sidecars are ready after 5s, starting app containers"}, eventsOf(recorder, "SidecarsReady"))
		assert.Equal(t, shipper.CreatedAt, sli.started, "the pulls of images come before the last sidecar is created")
		assert.Equal(t, time.Now(), sli.finished)

		sync(map[string]*kubecontainer.Status{"proxy": proxy, "shipper": shipper})
		assert.Empty(t, eventsOf(recorder, "SidecarsReady"), "the app could not be created, and is tried again")

		app.State = kubecontainer.ContainerStateExited
		sync(map[string]*kubecontainer.Status{"proxy": proxy, "shipper": shipper, "app": app})
		assert.Empty(t, eventsOf(recorder, "SidecarsReady"), "the gate opens once")

		count, sum := gateDurations(t)
		assert.EqualValues(t, 1, count-countBefore)
		assert.EqualValues(t, 5, sum-sumBefore)
	})
}

func TestSidecarRestartsAreCounted(t *testing.T) {
	enableSidecars(t)
	registerSidecarMetrics()
	tCtx := ktesting.Init(t)
	fakeRuntime, _, m, err := createTestRuntimeManager(tCtx)
	require.NoError(t, err)
	pod := makeSidecarPod(v1.RestartPolicyNever)
	backOff := flowcontrol.NewBackOff(time.Nanosecond, time.Nanosecond)
	restarts := func() float64 {
		value, err := testutil.GetCounterMetricValue(metrics.SidecarRestartsTotal)
		require.NoError(t, err)
		return value
	}
	before := restarts()
	sync := func() {
		status := &kubecontainer.PodStatus{}
		if runtimePod, err := m.GetPod(tCtx, pod.UID); err == nil {
			status, err = m.GetPodStatus(tCtx, runtimePod)
			require.NoError(t, err)
		}
		result := m.SyncPod(tCtx, pod, status, nil, backOff, false)
		require.NoError(t, result.Error())
	}
	sync() // sidecars
	sync() // app
	assert.Zero(t, restarts()-before, "first starts are no restarts")
	for id, c := range fakeRuntime.Containers {
		if c.Metadata.Name == "shipper" {
			require.NoError(t, fakeRuntime.StopContainer(tCtx, id, 0))
		}
	}
	sync()
	assert.EqualValues(t, 1, restarts()-before)
}

func TestStoppingSidecarsIsRecorded(t *testing.T) {
	enableSidecars(t)
	for _, test := range []struct {
		name    string
		running []string
		takes   map[string]float64
		grace   int64
		want    []string
	}{
		{name: "app ends", running: []string{"proxy", "app", "shipper"}, takes: map[string]float64{"app": 3}, grace: 10,
			want: []string{"Normal StoppingSidecars No app container is running any more, stopping sidecars: proxy, shipper"}},
		{name: "app has ended", running: []string{"shipper"}, grace: 10,
			want: []string{"Normal StoppingSidecars No app container is running any more, stopping sidecars: shipper"}},
		{name: "budget used up by the hook of the app", running: []string{"proxy", "app"}, takes: map[string]float64{"app": 100, "app hook": 100}, grace: 10,
			want: []string{"Normal StoppingSidecars The grace period is over while app containers are still running, stopping sidecars: proxy"}},
		{name: "nothing to stop", running: []string{"app"}, grace: 10},
		{name: "no grace", running: []string{"proxy", "app"}, grace: 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				pod := makeSidecarPod(v1.RestartPolicyNever)
				pod.Spec.Containers[appIdx].Lifecycle = &v1.Lifecycle{PreStop: &v1.LifecycleHandler{Exec: &v1.ExecAction{Command: []string{"hook"}}}}
				recorder := record.NewFakeRecorder(20)
				killSidecarPodRecording(t, recorder, pod, test.running, test.takes, &test.grace)
				assert.Equal(t, test.want, eventsOf(recorder, "StoppingSidecars"))
			})
		})
	}
}
