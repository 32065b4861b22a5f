/*
Copyright The Sidecar Node Authors.

SPDX-License-Identifier: Apache-2.0
*/

package nodedeclaredfeatures

import (
	"slices"

	v1 "k8s.io/api/core/v1"
	"k8s.io/component-helpers/nodedeclaredfeatures/features/sidecarcontainers"
	fwk "k8s.io/kube-scheduler/framework"
	podutil "k8s.io/kubernetes/pkg/api/v1/pod"
)

// errReasonNoSidecars is the status reason given when a pod has sidecars and a node
// does not know them, or has the feature gate off.
const errReasonNoSidecars = "node(s) didn't have feature gate SidecarContainers on, which lifecycle.type: Sidecar of the pod's containers requires"

// unsatisfiedReason returns the status reason for a node that lacks features which the
// pod requires.
func (pl *NodeDeclaredFeatures) unsatisfiedReason(pod *v1.Pod, nodeInfo fwk.NodeInfo) string {
	if podutil.HasSidecarContainers(&pod.Spec) && !slices.Contains(nodeInfo.Node().Status.DeclaredFeatures, sidecarcontainers.SidecarContainers) {
		return errReasonNoSidecars
	}
	return errReasonUnsatisfiedRequirements
}
