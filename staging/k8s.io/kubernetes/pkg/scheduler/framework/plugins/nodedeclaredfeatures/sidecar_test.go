/*
Copyright The Sidecar Node Authors.

SPDX-License-Identifier: Apache-2.0
*/

package nodedeclaredfeatures

import (
	"testing"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/feature"
	"k8s.io/kubernetes/test/utils/ktesting"
	"k8s.io/utils/ptr"
)

// The default framework of the scheduler keeps pods with sidecars off nodes that do
// not declare the feature, and says why.
func TestSidecarPodsNeedTheFeature(t *testing.T) {
	const feat = "SidecarContainers"
	for _, test := range []struct {
		name     string
		sidecar  bool
		declared []string
		want     fwk.Code
		reason   string
	}{
		{name: "no sidecar, no feature", want: fwk.Success},
		{name: "sidecar, feature", sidecar: true, declared: []string{feat}, want: fwk.Success},
		{name: "sidecar, no feature", sidecar: true, want: fwk.UnschedulableAndUnresolvable, reason: errReasonNoSidecars},
		{name: "sidecar, other features", sidecar: true, declared: []string{"RestartAllContainersOnContainerExits"}, want: fwk.UnschedulableAndUnresolvable, reason: errReasonNoSidecars},
	} {
		t.Run(test.name, func(t *testing.T) {
			tCtx := ktesting.Init(t)
			pl, err := New(tCtx, nil, nil, feature.Features{EnableNodeDeclaredFeatures: true})
			if err != nil {
				t.Fatal(err)
			}
			plugin := pl.(*NodeDeclaredFeatures)
			pod := &v1.Pod{Spec: v1.PodSpec{Containers: []v1.Container{{Name: "app"}, {Name: "proxy"}}}}
			if test.sidecar {
				pod.Spec.Containers[1].Lifecycle = &v1.Lifecycle{Type: ptr.To(v1.LifecycleTypeSidecar)}
			}
			node := &v1.Node{Status: v1.NodeStatus{DeclaredFeatures: test.declared}}
			nodeInfo := framework.NewNodeInfo()
			nodeInfo.SetNode(node)
			state := framework.NewCycleState()
			if _, status := plugin.PreFilter(tCtx, state, pod, nil); status.IsSkip() {
				if test.want != fwk.Success {
					t.Fatal("the pod must require the feature")
				}
				return
			}
			status := plugin.Filter(tCtx, state, pod, nodeInfo)
			if status.Code() != test.want || status.Message() != test.reason {
				t.Errorf("got %v %q, want %v %q", status.Code(), status.Message(), test.want, test.reason)
			}
		})
	}
}
