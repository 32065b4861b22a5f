/*
Copyright The Sidecar Node Authors.

SPDX-License-Identifier: Apache-2.0
*/

package prober

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	featuregatetesting "k8s.io/component-base/featuregate/testing"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/features"
	"k8s.io/kubernetes/pkg/kubelet/prober/results"
	"k8s.io/kubernetes/pkg/kubelet/sidecar"
	"k8s.io/kubernetes/pkg/probe"
	"k8s.io/utils/exec"
	"k8s.io/utils/ptr"
)

// slowProber succeeds from a moment on, and counts how often it was asked.
type slowProber struct {
	from  time.Time
	count int
}

func (p *slowProber) Probe(exec.Cmd) (probe.Result, string, error) {
	p.count++
	if time.Now().Before(p.from) {
		return probe.Failure, "", nil
	}
	return probe.Success, "", nil
}

func TestEarlyProbes(t *testing.T) {
	const never = 1000 * time.Hour
	for _, test := range []struct {
		name      string
		kind      probeType
		plain     bool // no sidecar
		opened    bool // no app container waits
		gateOff   bool
		delay     int32
		readyFrom time.Duration
		// passed is when the probe passes at the latest, after the start of the
		// container; failed is when it fails for good, and not earlier
		passed, failed time.Duration
	}{
		{name: "startup, ready at once", kind: startup, passed: 100 * time.Millisecond},
		{name: "startup, ready soon", kind: startup, readyFrom: 250 * time.Millisecond, passed: 500 * time.Millisecond},
		{name: "startup, ready after a while", kind: startup, readyFrom: 2 * time.Second, passed: 4 * time.Second},
		{name: "startup, ready after the period", kind: startup, readyFrom: 15 * time.Second, passed: 20 * time.Second},
		{name: "startup, never ready", kind: startup, readyFrom: never, failed: 25 * time.Second},
		{name: "readiness, ready soon", kind: readiness, readyFrom: 250 * time.Millisecond, passed: 500 * time.Millisecond},
		{name: "readiness, ready after the period", kind: readiness, readyFrom: 15 * time.Second, passed: 20 * time.Second},
		{name: "initial delay", kind: startup, delay: 3, passed: 3100 * time.Millisecond},
		{name: "no sidecar waits its period", kind: startup, plain: true, passed: 10 * time.Second},
		{name: "app runs, sidecar waits its period", kind: readiness, opened: true, passed: 10 * time.Second},
		{name: "gate off, sidecar waits its period", kind: startup, gateOff: true, passed: 10 * time.Second},
	} {
		t.Run(test.name, func(t *testing.T) {
			featuregatetesting.SetFeatureGateDuringTest(t, utilfeature.DefaultFeatureGate, features.SidecarContainers, !test.gateOff)
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(context.Background())
				defer cancel()
				m := newTestManager()
				m.start = time.Now().Add(-time.Hour)
				prober := &slowProber{}
				m.prober.exec = prober
				pod := getTestPod()
				setTestProbe(pod, test.kind, v1.Probe{InitialDelaySeconds: test.delay, PeriodSeconds: 10, FailureThreshold: 3, SuccessThreshold: 1})
				if !test.plain {
					pod.Spec.Containers[0].Lifecycle = &v1.Lifecycle{Type: ptr.To(v1.LifecycleTypeSidecar)}
				}
				pod.Spec.Containers = append(pod.Spec.Containers, v1.Container{Name: "app"})
				m.AddPod(ctx, pod)
				synctest.Wait()

				// The worker has looked once, in vain. The container starts between two
				// periods.
				time.Sleep(time.Second)
				prober.from = time.Now().Add(test.readyFrom)
				start := time.Now()
				status := getTestRunningStatusWithStarted(test.kind != startup)
				status.ContainerStatuses[0].State.Running.StartedAt = metav1.NewTime(start)
				app := v1.ContainerStatus{Name: "app", State: v1.ContainerState{Waiting: &v1.ContainerStateWaiting{Reason: sidecar.ReasonWaitingForSidecars}}}
				if test.opened {
					app.State = v1.ContainerState{Running: &v1.ContainerStateRunning{}}
				}
				status.ContainerStatuses = append(status.ContainerStatuses, app)
				m.statusManager.SetPodStatus(klog.Background(), pod, status)
				m.ProbeSidecars(ctx, pod, &status)
				m.ProbeSidecars(ctx, pod, &status)

				w, _ := m.getWorker(pod.UID, testContainerName, test.kind)
				var passed, failed time.Duration
				for range 6000 {
					time.Sleep(10 * time.Millisecond)
					synctest.Wait()
					result, found := w.resultsManager.Get(testContainerID)
					if found && result == results.Success && passed == 0 {
						passed = time.Since(start)
					}
					if test.kind == startup && found && result == results.Failure && failed == 0 {
						failed = time.Since(start)
					}
				}
				slack := 20 * time.Millisecond
				if test.passed > 0 {
					assert.Greater(t, passed, time.Duration(0), "the probe must pass")
					assert.LessOrEqual(t, passed, test.passed+slack)
					assert.GreaterOrEqual(t, passed, test.readyFrom+time.Duration(test.delay)*time.Second)
					assert.Zero(t, failed)
				} else {
					assert.Zero(t, passed)
					assert.GreaterOrEqual(t, failed, test.failed, "early probes must not use up the failure threshold")
					assert.Less(t, failed, test.failed+10*time.Second)
				}
				assert.LessOrEqual(t, prober.count, 6+8, "probes in a minute: six at the usual times, and a few early ones")
				m.RemovePod(pod)
				synctest.Wait()
			})
		})
	}
}
