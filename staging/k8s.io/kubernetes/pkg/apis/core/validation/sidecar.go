/*
Copyright The Sidecar Node Authors.

SPDX-License-Identifier: Apache-2.0
*/

package validation

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/kubernetes/pkg/apis/core"
	"k8s.io/kubernetes/pkg/apis/core/helper"
)

var supportedLifecycleTypes = sets.New(
	core.LifecycleTypeSidecar,
	core.LifecycleTypeStandard)

// validateSidecarContainers checks lifecycle.type of the containers in
// spec.containers, and what it excludes: a restart policy under which a sidecar would
// stay down, and a pod that has nothing but sidecars.
//
// It does not depend on the SidecarContainers feature gate. With the gate off the
// field reaches validation only if the stored object has it.
func validateSidecarContainers(containers []core.Container, fldPath *field.Path) field.ErrorList {
	var allErrs field.ErrorList

	var sidecarNames []string
	for i := range containers {
		ctr := &containers[i]
		if ctr.Lifecycle == nil || ctr.Lifecycle.Type == nil {
			continue
		}
		path := fldPath.Index(i)
		if !supportedLifecycleTypes.Has(*ctr.Lifecycle.Type) {
			allErrs = append(allErrs, field.NotSupported(path.Child("lifecycle", "type"), *ctr.Lifecycle.Type, sets.List(supportedLifecycleTypes)))
			continue
		}
		if helper.IsSidecarContainer(ctr) {
			sidecarNames = append(sidecarNames, ctr.Name)
			allErrs = append(allErrs, validateSidecarRestartPolicy(ctr, path)...)
		}
	}

	if len(sidecarNames) > 0 && len(sidecarNames) == len(containers) {
		allErrs = append(allErrs, field.Invalid(fldPath, strings.Join(sidecarNames, ", "),
			"all containers are of lifecycle type Sidecar: a pod needs at least one container that is not, since it starts and ends with those; unset lifecycle.type of the containers that do the work"))
	}

	return allErrs
}

// validateSidecarRestartPolicy refuses restart rules that a sidecar could not follow:
// it is restarted whenever it exits.
func validateSidecarRestartPolicy(ctr *core.Container, path *field.Path) field.ErrorList {
	var allErrs field.ErrorList

	// Values that exist nowhere are reported by validateContainerRestartPolicy.
	if ctr.RestartPolicy != nil && *ctr.RestartPolicy != core.ContainerRestartPolicyAlways && supportedContainerRestartPolicies.Has(*ctr.RestartPolicy) {
		allErrs = append(allErrs, field.Invalid(path.Child("restartPolicy"), *ctr.RestartPolicy,
			fmt.Sprintf("must be unset or %s when lifecycle.type is %s, because a sidecar is restarted whenever it exits", core.ContainerRestartPolicyAlways, core.LifecycleTypeSidecar)))
	}
	if len(ctr.RestartPolicyRules) > 0 {
		allErrs = append(allErrs, field.Forbidden(path.Child("restartPolicyRules"),
			fmt.Sprintf("may not be set when lifecycle.type is %s, because a sidecar is restarted whenever it exits", core.LifecycleTypeSidecar)))
	}

	return allErrs
}

// validateInitContainerLifecycleType refuses lifecycle.type on an init container,
// whatever its value and restart policy.
func validateInitContainerLifecycleType(ctr *core.Container, path *field.Path) field.ErrorList {
	if ctr.Lifecycle == nil || ctr.Lifecycle.Type == nil {
		return nil
	}
	return field.ErrorList{field.Forbidden(path.Child("lifecycle", "type"),
		"may not be set for init containers; to run an init container as a sidecar, set its restartPolicy to Always and leave lifecycle.type unset")}
}

// validateLifecycleTypeUpdate refuses to change lifecycle.type of the containers of an
// existing pod. Both lists must be of the same length.
func validateLifecycleTypeUpdate(newContainers, oldContainers []core.Container, fldPath *field.Path) field.ErrorList {
	var allErrs field.ErrorList
	for i := range newContainers {
		newType, oldType := lifecycleType(&newContainers[i]), lifecycleType(&oldContainers[i])
		allErrs = append(allErrs, ValidateImmutableField(newType, oldType, fldPath.Index(i).Child("lifecycle", "type"))...)
	}
	return allErrs
}

func lifecycleType(ctr *core.Container) *core.LifecycleType {
	if ctr.Lifecycle == nil {
		return nil
	}
	return ctr.Lifecycle.Type
}
