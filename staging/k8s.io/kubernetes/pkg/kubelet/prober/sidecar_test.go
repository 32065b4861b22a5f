/*
Copyright The Sidecar Node Authors.

SPDX-License-Identifier: Apache-2.0
*/

package prober

import (
	"testing"

	"github.com/stretchr/testify/assert"
	v1 "k8s.io/api/core/v1"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	featuregatetesting "k8s.io/component-base/featuregate/testing"
	"k8s.io/kubernetes/pkg/features"
	kubecontainer "k8s.io/kubernetes/pkg/kubelet/container"
	"k8s.io/kubernetes/pkg/kubelet/prober/results"
	"k8s.io/kubernetes/pkg/kubelet/sidecar"
	"k8s.io/kubernetes/test/utils/ktesting"
	"k8s.io/utils/ptr"
)

// After a restart of the kubelet neither what the API says of a sidecar nor the lack
// of a probe worker may count as a passed startup probe while app containers wait.
func TestSidecarIsNotStartedBeforeItsProbeHasRun(t *testing.T) {
	waiting := v1.ContainerState{Waiting: &v1.ContainerStateWaiting{Reason: sidecar.ReasonWaitingForSidecars}}
	running := v1.ContainerState{Running: &v1.ContainerStateRunning{}}
	for _, test := range []struct {
		name       string
		app        v1.ContainerState
		remembered bool
		result     *results.Result
		gateOff    bool
		want       bool
	}{
		{name: "app waits, nothing remembered", app: waiting, want: false},
		{name: "app waits, started remembered", app: waiting, remembered: true, want: false},
		{name: "app waits, probe failed", app: waiting, remembered: true, result: ptr.To(results.Failure), want: false},
		{name: "app waits, probe passed", app: waiting, result: ptr.To(results.Success), want: true},
		{name: "app runs, started remembered", app: running, remembered: true, want: true},
		{name: "gate off, app waits, started remembered", app: waiting, remembered: true, gateOff: true, want: true},
	} {
		t.Run(test.name, func(t *testing.T) {
			featuregatetesting.SetFeatureGateDuringTest(t, utilfeature.DefaultFeatureGate, features.SidecarContainers, !test.gateOff)
			tCtx := ktesting.Init(t)
			m := newTestManager()
			pod := &v1.Pod{Spec: v1.PodSpec{Containers: []v1.Container{
				{Name: "app"},
				{Name: "proxy", StartupProbe: &v1.Probe{}, Lifecycle: &v1.Lifecycle{Type: ptr.To(v1.LifecycleTypeSidecar)}},
			}}}
			proxy := v1.ContainerStatus{Name: "proxy", ContainerID: "test://proxy", State: running}
			if test.remembered {
				proxy.Started = ptr.To(true)
			}
			if test.result != nil {
				m.startupManager.Set(kubecontainer.ParseContainerID(tCtx.Logger(), proxy.ContainerID), *test.result, pod)
			}
			status := &v1.PodStatus{ContainerStatuses: []v1.ContainerStatus{{Name: "app", State: test.app}, proxy}}

			m.UpdatePodStatus(tCtx, pod, status)

			assert.Equal(t, test.want, *status.ContainerStatuses[1].Started)
		})
	}
}
