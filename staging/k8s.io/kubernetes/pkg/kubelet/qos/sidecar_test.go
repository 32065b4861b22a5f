/*
Copyright The Sidecar Node Authors.

SPDX-License-Identifier: Apache-2.0
*/

package qos

import (
	"testing"

	"github.com/stretchr/testify/assert"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	featuregatetesting "k8s.io/component-base/featuregate/testing"
	"k8s.io/kubernetes/pkg/features"
	"k8s.io/utils/ptr"
)

func TestOOMScoreOfSidecarIsNeverWorse(t *testing.T) {
	const capacity = 8 << 30
	container := func(name, memory string) v1.Container {
		return v1.Container{Name: name, Resources: v1.ResourceRequirements{Requests: v1.ResourceList{v1.ResourceMemory: resource.MustParse(memory)}}}
	}
	for _, test := range []struct {
		name    string
		apps    []string
		sidecar string
	}{
		{"tiny sidecar", []string{"2Gi"}, "10Mi"},
		{"tiny sidecar, apps of several sizes", []string{"100Mi", "2Gi"}, "10Mi"},
		{"large sidecar", []string{"100Mi"}, "1Gi"},
	} {
		t.Run(test.name, func(t *testing.T) {
			pod := &v1.Pod{}
			for _, memory := range test.apps {
				pod.Spec.Containers = append(pod.Spec.Containers, container("app", memory))
			}
			sidecar := container("sidecar", test.sidecar)
			sidecar.Lifecycle = &v1.Lifecycle{Type: ptr.To(v1.LifecycleTypeSidecar)}
			pod.Spec.Containers = append(pod.Spec.Containers, sidecar)
			plain := GetContainerOOMScoreAdjust(pod, &sidecar, capacity)
			featuregatetesting.SetFeatureGateDuringTest(t, utilfeature.DefaultFeatureGate, features.SidecarContainers, true)
			score := GetContainerOOMScoreAdjust(pod, &sidecar, capacity)
			assert.LessOrEqual(t, score, plain)
			for i := range test.apps {
				assert.LessOrEqual(t, score, GetContainerOOMScoreAdjust(pod, &pod.Spec.Containers[i], capacity))
			}
		})
	}
}
