/*
Copyright The Sidecar Node Authors.

SPDX-License-Identifier: Apache-2.0
*/

package status

import (
	"testing"

	"github.com/stretchr/testify/assert"
	v1 "k8s.io/api/core/v1"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	featuregatetesting "k8s.io/component-base/featuregate/testing"
	"k8s.io/kubernetes/pkg/features"
	"k8s.io/utils/ptr"
)

// A restarted sidecar leaves the terminated state whatever the policy of the pod,
// an app container does not.
func TestContainerStateTransitionOfSidecars(t *testing.T) {
	for _, rules := range []bool{true, false} {
		for _, policy := range []v1.RestartPolicy{v1.RestartPolicyNever, v1.RestartPolicyOnFailure} {
			for _, on := range []bool{true, false} {
				featuregatetesting.SetFeatureGatesDuringTest(t, utilfeature.DefaultFeatureGate, featuregatetesting.FeatureOverrides{
					features.SidecarContainers:                    on,
					features.ContainerRestartRules:                rules,
					features.RestartAllContainersOnContainerExits: false,
				})
				spec := &v1.PodSpec{RestartPolicy: policy, Containers: []v1.Container{
					{Name: "app"},
					{Name: "proxy", Lifecycle: &v1.Lifecycle{Type: ptr.To(v1.LifecycleTypeSidecar)}},
				}}
				transition := func(name string) error {
					exited := v1.ContainerState{Terminated: &v1.ContainerStateTerminated{}}
					running := v1.ContainerState{Running: &v1.ContainerStateRunning{}}
					return checkContainerStateTransition(
						&v1.PodStatus{ContainerStatuses: []v1.ContainerStatus{{Name: name, State: exited}}},
						&v1.PodStatus{ContainerStatuses: []v1.ContainerStatus{{Name: name, State: running}}}, spec)
				}
				assert.Error(t, transition("app"), "app, %s, gate %t", policy, on)
				if on {
					assert.NoError(t, transition("proxy"), "sidecar, %s, gate on", policy)
				} else {
					assert.Error(t, transition("proxy"), "sidecar, %s, gate off", policy)
				}
			}
		}
	}
}
