/*
Copyright The Sidecar Node Authors.

SPDX-License-Identifier: Apache-2.0
*/

package pod

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/util/validation/field"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/apiserver/pkg/warning"
	api "k8s.io/kubernetes/pkg/apis/core"
	"k8s.io/kubernetes/pkg/apis/core/helper"
	"k8s.io/kubernetes/pkg/features"
)

// WarnTemplateLifecycleType adds a warning to the response for every lifecycle.type
// that DropDisabledTemplateFields removes from the template at fieldPath, and for every
// sidecar whose type an update leaves unset: most often the client does not know the
// field and has dropped it. It is called right before DropDisabledTemplateFields: the warnings that
// strategies compute later no longer see the field.
func WarnTemplateLifecycleType(ctx context.Context, fieldPath *field.Path, podTemplate, oldPodTemplate *api.PodTemplateSpec) {
	var podSpec, oldPodSpec *api.PodSpec
	if podTemplate != nil {
		podSpec = &podTemplate.Spec
	}
	if oldPodTemplate != nil {
		oldPodSpec = &oldPodTemplate.Spec
	}
	warnDisabledLifecycleType(ctx, fieldPath.Child("spec"), podSpec, oldPodSpec)
	warnLostSidecars(ctx, fieldPath.Child("spec"), podSpec, oldPodSpec)
}

// warnLostSidecars adds a warning for each container that was a sidecar and has, under
// the same name, no type any more.
func warnLostSidecars(ctx context.Context, specPath *field.Path, podSpec, oldPodSpec *api.PodSpec) {
	if podSpec == nil || oldPodSpec == nil {
		return
	}
	sidecars := sets.New[string]()
	for i := range oldPodSpec.Containers {
		if helper.IsSidecarContainer(&oldPodSpec.Containers[i]) {
			sidecars.Insert(oldPodSpec.Containers[i].Name)
		}
	}
	for i := range podSpec.Containers {
		container := &podSpec.Containers[i]
		if sidecars.Has(container.Name) && (container.Lifecycle == nil || container.Lifecycle.Type == nil) {
			warning.AddWarning(ctx, "", fmt.Sprintf("%s: removed by this update, it was %s: container %q becomes an ordinary one; if that was not meant, the client does not know the field: patch the object instead of replacing it",
				specPath.Child("containers").Index(i).Child("lifecycle", "type"), api.LifecycleTypeSidecar, container.Name))
		}
	}
}

// WarnPodLifecycleType is WarnTemplateLifecycleType for pods. It is called right
// before DropDisabledPodFields.
func WarnPodLifecycleType(ctx context.Context, pod, oldPod *api.Pod) {
	var podSpec, oldPodSpec *api.PodSpec
	if pod != nil {
		podSpec = &pod.Spec
	}
	if oldPod != nil {
		oldPodSpec = &oldPod.Spec
	}
	warnDisabledLifecycleType(ctx, field.NewPath("spec"), podSpec, oldPodSpec)
}

func warnDisabledLifecycleType(ctx context.Context, specPath *field.Path, podSpec, oldPodSpec *api.PodSpec) {
	if podSpec == nil || !lifecycleTypeDisabled(oldPodSpec) {
		return
	}
	warn := func(containers []api.Container, listName string) {
		for i := range containers {
			if lifecycle := containers[i].Lifecycle; lifecycle != nil && lifecycle.Type != nil {
				warning.AddWarning(ctx, "", fmt.Sprintf("%s: removed, because the feature gate %s is disabled in the API server; the container runs as an ordinary one",
					specPath.Child(listName).Index(i).Child("lifecycle", "type"), features.SidecarContainers))
			}
		}
	}
	warn(podSpec.InitContainers, "initContainers")
	warn(podSpec.Containers, "containers")
}

// dropDisabledLifecycleType removes lifecycle.type from containers and init containers
// if it is disabled, and with it a lifecycle that held nothing else. On ephemeral
// containers it stays, for validation to refuse: there a lifecycle is never allowed.
func dropDisabledLifecycleType(podSpec, oldPodSpec *api.PodSpec) {
	if !lifecycleTypeDisabled(oldPodSpec) {
		return
	}
	VisitContainers(podSpec, InitContainers|Containers, func(c *api.Container, _ ContainerType) bool {
		if c.Lifecycle != nil && c.Lifecycle.Type != nil {
			c.Lifecycle.Type = nil
			if *c.Lifecycle == (api.Lifecycle{}) {
				c.Lifecycle = nil
			}
		}
		return true
	})
}

// lifecycleTypeDisabled returns true if lifecycle.type has to be removed on write: the
// feature gate is off and the stored object, if there is one, does not use the field.
func lifecycleTypeDisabled(oldPodSpec *api.PodSpec) bool {
	return !utilfeature.DefaultFeatureGate.Enabled(features.SidecarContainers) && !lifecycleTypeInUse(oldPodSpec)
}

func lifecycleTypeInUse(podSpec *api.PodSpec) bool {
	if podSpec == nil {
		return false
	}
	for c := range ContainerIter(podSpec, InitContainers|Containers) {
		if c.Lifecycle != nil && c.Lifecycle.Type != nil {
			return true
		}
	}
	return false
}
