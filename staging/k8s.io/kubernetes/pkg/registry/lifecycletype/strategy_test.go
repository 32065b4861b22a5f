/*
Copyright The Sidecar Node Authors.

SPDX-License-Identifier: Apache-2.0
*/

package lifecycletype

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/apiserver/pkg/warning"
	featuregatetesting "k8s.io/component-base/featuregate/testing"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"k8s.io/kubernetes/pkg/apis/apps"
	_ "k8s.io/kubernetes/pkg/apis/apps/install"
	"k8s.io/kubernetes/pkg/apis/batch"
	_ "k8s.io/kubernetes/pkg/apis/batch/install"
	api "k8s.io/kubernetes/pkg/apis/core"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
	"k8s.io/kubernetes/pkg/features"
	"k8s.io/kubernetes/pkg/registry/apps/daemonset"
	"k8s.io/kubernetes/pkg/registry/apps/deployment"
	"k8s.io/kubernetes/pkg/registry/apps/replicaset"
	"k8s.io/kubernetes/pkg/registry/apps/statefulset"
	"k8s.io/kubernetes/pkg/registry/batch/cronjob"
	"k8s.io/kubernetes/pkg/registry/batch/job"
	"k8s.io/kubernetes/pkg/registry/core/pod"
	"k8s.io/kubernetes/pkg/registry/core/podtemplate"
	"k8s.io/kubernetes/pkg/registry/core/replicationcontroller"
)

type strategy interface {
	rest.RESTCreateStrategy
	rest.RESTUpdateStrategy
}

// kind is one that has a pod spec.
type kind struct {
	name       string
	strategy   strategy
	apiVersion string
	resource   string
	// manifest is the object as a user writes it; %s stands for the pod spec, in JSON.
	manifest string
	// specPath is where the pod spec is.
	specPath string
	podSpec  func(runtime.Object) *api.PodSpec
	// templateImmutable is true if an update may not change the spec.
	templateImmutable bool
}

const template = `{"metadata":{"labels":{"a":"b"}},"spec":%s}`
const selector = `"selector":{"matchLabels":{"a":"b"}}`

var kinds = []kind{{
	name: "Pod", strategy: pod.Strategy, apiVersion: "v1", resource: "pods", specPath: "spec",
	manifest:          `"spec":%s`,
	podSpec:           func(obj runtime.Object) *api.PodSpec { return &obj.(*api.Pod).Spec },
	templateImmutable: true,
}, {
	name: "PodTemplate", strategy: podtemplate.Strategy, apiVersion: "v1", resource: "podtemplates", specPath: "template.spec",
	manifest: `"template":` + template,
	podSpec:  func(obj runtime.Object) *api.PodSpec { return &obj.(*api.PodTemplate).Template.Spec },
}, {
	name: "ReplicationController", strategy: replicationcontroller.Strategy, apiVersion: "v1", resource: "replicationcontrollers", specPath: "spec.template.spec",
	manifest: `"spec":{"selector":{"a":"b"},"template":` + template + `}`,
	podSpec:  func(obj runtime.Object) *api.PodSpec { return &obj.(*api.ReplicationController).Spec.Template.Spec },
}, {
	name: "ReplicaSet", strategy: replicaset.Strategy, apiVersion: "apps/v1", resource: "replicasets", specPath: "spec.template.spec",
	manifest: `"spec":{` + selector + `,"template":` + template + `}`,
	podSpec:  func(obj runtime.Object) *api.PodSpec { return &obj.(*apps.ReplicaSet).Spec.Template.Spec },
}, {
	name: "Deployment", strategy: deployment.Strategy, apiVersion: "apps/v1", resource: "deployments", specPath: "spec.template.spec",
	manifest: `"spec":{` + selector + `,"template":` + template + `}`,
	podSpec:  func(obj runtime.Object) *api.PodSpec { return &obj.(*apps.Deployment).Spec.Template.Spec },
}, {
	name: "StatefulSet", strategy: statefulset.Strategy, apiVersion: "apps/v1", resource: "statefulsets", specPath: "spec.template.spec",
	manifest: `"spec":{"serviceName":"s",` + selector + `,"template":` + template + `}`,
	podSpec:  func(obj runtime.Object) *api.PodSpec { return &obj.(*apps.StatefulSet).Spec.Template.Spec },
}, {
	name: "DaemonSet", strategy: daemonset.Strategy, apiVersion: "apps/v1", resource: "daemonsets", specPath: "spec.template.spec",
	manifest: `"spec":{` + selector + `,"template":` + template + `}`,
	podSpec:  func(obj runtime.Object) *api.PodSpec { return &obj.(*apps.DaemonSet).Spec.Template.Spec },
}, {
	name: "Job", strategy: job.Strategy, apiVersion: "batch/v1", resource: "jobs", specPath: "spec.template.spec",
	manifest:          `"spec":{"manualSelector":true,` + selector + `,"template":` + template + `}`,
	podSpec:           func(obj runtime.Object) *api.PodSpec { return &obj.(*batch.Job).Spec.Template.Spec },
	templateImmutable: true,
}, {
	name: "CronJob", strategy: cronjob.Strategy, apiVersion: "batch/v1", resource: "cronjobs", specPath: "spec.jobTemplate.spec.template.spec",
	manifest: `"spec":{"schedule":"* * * * *","jobTemplate":{"spec":{"template":` + template + `}}}`,
	podSpec: func(obj runtime.Object) *api.PodSpec {
		return &obj.(*batch.CronJob).Spec.JobTemplate.Spec.Template.Spec
	},
}}

// object decodes the manifest with the given containers, with defaults, as the API
// server does. containers and initContainers are JSON lists.
func (k kind) object(t *testing.T, initContainers, containers string) runtime.Object {
	t.Helper()
	restartPolicy := "Always"
	if k.apiVersion == "batch/v1" {
		restartPolicy = "Never"
	}
	podSpec := fmt.Sprintf(`{"restartPolicy":%q,"initContainers":%s,"containers":%s}`, restartPolicy, initContainers, containers)
	manifest := fmt.Sprintf(`{"apiVersion":%q,"kind":%q,"metadata":{"name":"x","namespace":"default"},%s}`, k.apiVersion, k.name, fmt.Sprintf(k.manifest, podSpec))
	obj, err := runtime.Decode(legacyscheme.Codecs.UniversalDecoder(), []byte(manifest))
	if err != nil {
		t.Fatalf("%s: %v", manifest, err)
	}
	return obj
}

type recorder []string

func (r *recorder) AddWarning(_, text string) { *r = append(*r, text) }

func (k kind) context(warnings *recorder, verb string) context.Context {
	group, version, found := strings.Cut(k.apiVersion, "/")
	if !found {
		group, version = "", group
	}
	ctx := genericapirequest.WithNamespace(context.Background(), "default")
	ctx = genericapirequest.WithRequestInfo(ctx, &genericapirequest.RequestInfo{
		IsResourceRequest: true, Verb: verb, APIGroup: group, APIVersion: version, Resource: k.resource, Namespace: "default", Name: "x",
	})
	return warning.WithWarningRecorder(ctx, warnings)
}

func (k kind) create(t *testing.T, initContainers, containers string) (runtime.Object, []string, error) {
	t.Helper()
	var warnings recorder
	obj := k.object(t, initContainers, containers)
	accessor, err := meta.Accessor(obj)
	if err != nil {
		t.Fatal(err)
	}
	rest.FillObjectMetaSystemFields(accessor)
	err = rest.BeforeCreate(k.strategy, k.context(&warnings, "create"), obj)
	return obj, warnings, err
}

func (k kind) update(t *testing.T, old runtime.Object, initContainers, containers string) (runtime.Object, []string, error) {
	t.Helper()
	var warnings recorder
	obj := k.object(t, initContainers, containers)
	for _, o := range []runtime.Object{obj, old} {
		accessor, err := meta.Accessor(o)
		if err != nil {
			t.Fatal(err)
		}
		accessor.SetResourceVersion("1")
		accessor.SetUID("u")
	}
	err := rest.BeforeUpdate(k.strategy, k.context(&warnings, "update"), obj, old)
	return obj, warnings, err
}

// types returns lifecycle.type of each container, "-" if there is a lifecycle without
// a type and "" if there is none.
func (k kind) types(obj runtime.Object) string {
	var types []string
	for _, c := range k.podSpec(obj).Containers {
		switch {
		case c.Lifecycle == nil:
			types = append(types, "")
		case c.Lifecycle.Type == nil:
			types = append(types, "-")
		default:
			types = append(types, string(*c.Lifecycle.Type))
		}
	}
	return strings.Join(types, ",")
}

// lost is the warning for a sidecar that an update has made an ordinary container.
func (k kind) lost(path string) string {
	return k.specPath + "." + path + `.lifecycle.type: removed by this update, it was Sidecar: container "proxy" becomes an ordinary one; if that was not meant, the client does not know the field: patch the object instead of replacing it`
}

func (k kind) removed(path string) string {
	return k.specPath + "." + path + ".lifecycle.type: removed, because the feature gate SidecarContainers is disabled in the API server; the container runs as an ordinary one"
}

const (
	plain    = `[{"name":"app","image":"i"},{"name":"proxy","image":"i"}]`
	renamed  = `[{"name":"app","image":"i"},{"name":"other","image":"i"}]`
	standard = `[{"name":"app","image":"i"},{"name":"proxy","image":"i","lifecycle":{"type":"Standard"}}]`
	sidecar  = `[{"name":"app","image":"i"},{"name":"proxy","image":"i","lifecycle":{"type":"Sidecar"}}]`
	hooked   = `[{"name":"app","image":"i"},{"name":"proxy","image":"i","lifecycle":{"type":"Sidecar","preStop":{"exec":{"command":["true"]}}}}]`
	wrong    = `[{"name":"app","image":"i"},{"name":"proxy","image":"i","lifecycle":{"type":"Foo"}}]`
	only     = `[{"name":"proxy","image":"i","lifecycle":{"type":"Sidecar"}}]`
	typedApp = `[{"name":"app","image":"i"}]`
	none     = `[]`
	typed    = `[{"name":"init","image":"i","lifecycle":{"type":"Sidecar"}}]`
	native   = `[{"name":"init","image":"i","restartPolicy":"Always","lifecycle":{"type":"Sidecar"}}]`
)

func forEachKind(t *testing.T, enabled bool, run func(t *testing.T, k kind)) {
	featuregatetesting.SetFeatureGateDuringTest(t, utilfeature.DefaultFeatureGate, features.SidecarContainers, enabled)
	for _, k := range kinds {
		t.Run(k.name, func(t *testing.T) { run(t, k) })
	}
}

func TestCreateEnabled(t *testing.T) {
	forEachKind(t, true, func(t *testing.T, k kind) {
		for _, tc := range []struct {
			initContainers, containers string
			wantTypes, wantErr         string
		}{
			{initContainers: none, containers: plain, wantTypes: ","},
			{initContainers: none, containers: standard, wantTypes: ",Standard"},
			{initContainers: none, containers: sidecar, wantTypes: ",Sidecar"},
			{initContainers: none, containers: hooked, wantTypes: ",Sidecar"},
			{initContainers: none, containers: wrong, wantErr: k.specPath + `.containers[1].lifecycle.type: Unsupported value: "Foo": supported values: "Sidecar", "Standard"`},
			{initContainers: none, containers: only, wantErr: k.specPath + `.containers: Invalid value: "proxy": all containers are of lifecycle type Sidecar`},
			{initContainers: typed, containers: typedApp, wantErr: k.specPath + `.initContainers[0].lifecycle.type: Forbidden: may not be set for init containers; to run an init container as a sidecar, set its restartPolicy to Always`},
			{initContainers: native, containers: typedApp, wantErr: k.specPath + `.initContainers[0].lifecycle.type: Forbidden: may not be set for init containers`},
		} {
			obj, warnings, err := k.create(t, tc.initContainers, tc.containers)
			if tc.wantErr != "" {
				if err == nil || !strings.Contains(err.Error(), tc.wantErr) {
					t.Errorf("%s%s:\n got error: %v\nwant error: %s", tc.initContainers, tc.containers, err, tc.wantErr)
				}
				continue
			}
			if err != nil {
				t.Errorf("%s: %v", tc.containers, err)
				continue
			}
			if got := k.types(obj); got != tc.wantTypes {
				t.Errorf("%s: got types %q, want %q", tc.containers, got, tc.wantTypes)
			}
			if len(warnings) != 0 {
				t.Errorf("%s: unexpected warnings: %q", tc.containers, warnings)
			}
		}
	})
}

func TestCreateDisabled(t *testing.T) {
	forEachKind(t, false, func(t *testing.T, k kind) {
		for _, tc := range []struct {
			initContainers, containers string
			wantTypes                  string
			wantWarnings               []string
		}{
			{initContainers: none, containers: plain, wantTypes: ","},
			{initContainers: none, containers: standard, wantTypes: ",", wantWarnings: []string{k.removed("containers[1]")}},
			{initContainers: none, containers: sidecar, wantTypes: ",", wantWarnings: []string{k.removed("containers[1]")}},
			{initContainers: none, containers: hooked, wantTypes: ",-", wantWarnings: []string{k.removed("containers[1]")}},
			{initContainers: none, containers: wrong, wantTypes: ",", wantWarnings: []string{k.removed("containers[1]")}},
			{initContainers: none, containers: only, wantTypes: "", wantWarnings: []string{k.removed("containers[0]")}},
			{initContainers: typed, containers: typedApp, wantTypes: "", wantWarnings: []string{k.removed("initContainers[0]")}},
		} {
			obj, warnings, err := k.create(t, tc.initContainers, tc.containers)
			if err != nil {
				t.Errorf("%s: %v", tc.containers, err)
				continue
			}
			if got := k.types(obj); got != tc.wantTypes {
				t.Errorf("%s: got types %q, want %q", tc.containers, got, tc.wantTypes)
			}
			if diff := cmp.Diff(tc.wantWarnings, warnings); diff != "" {
				t.Errorf("%s: warnings (-want +got):\n%s", tc.containers, diff)
			}
		}
	})
}

// With the gate off a stored object that has the field keeps it, also when another
// part of it changes, and one that has not does not get it.
func TestUpdateDisabled(t *testing.T) {
	forEachKind(t, false, func(t *testing.T, k kind) {
		olds := map[string]runtime.Object{}
		t.Run("stored with the gate on", func(t *testing.T) {
			featuregatetesting.SetFeatureGateDuringTest(t, utilfeature.DefaultFeatureGate, features.SidecarContainers, true)
			for _, containers := range []string{plain, sidecar} {
				obj, _, err := k.create(t, none, containers)
				if err != nil {
					t.Fatal(err)
				}
				olds[containers] = obj
			}
		})

		obj, warnings, err := k.update(t, olds[plain].DeepCopyObject(), none, sidecar)
		if err != nil {
			t.Errorf("adding the field: %v", err)
		}
		if got := k.types(obj); got != "," {
			t.Errorf("adding the field: got types %q, want none", got)
		}
		if diff := cmp.Diff([]string{k.removed("containers[1]")}, warnings); diff != "" {
			t.Errorf("adding the field: warnings (-want +got):\n%s", diff)
		}

		obj, warnings, err = k.update(t, olds[sidecar].DeepCopyObject(), none, sidecar)
		if err != nil {
			t.Errorf("keeping the field: %v", err)
		}
		if got := k.types(obj); got != ",Sidecar" {
			t.Errorf("keeping the field: got types %q, want it on the second container", got)
		}
		if len(warnings) != 0 {
			t.Errorf("keeping the field: unexpected warnings: %q", warnings)
		}
	})
}

func TestUpdateEnabled(t *testing.T) {
	forEachKind(t, true, func(t *testing.T, k kind) {
		for _, tc := range []struct {
			from, to, wantTypes string
			lost                bool
		}{
			{from: plain, to: sidecar, wantTypes: ",Sidecar"},
			{from: sidecar, to: standard, wantTypes: ",Standard"},
			{from: standard, to: plain, wantTypes: ","},
			{from: sidecar, to: plain, wantTypes: ",", lost: true},
			{from: hooked, to: plain, wantTypes: ",", lost: true},
			{from: sidecar, to: renamed, wantTypes: ","},
		} {
			old, _, err := k.create(t, none, tc.from)
			if err != nil {
				t.Fatal(err)
			}
			obj, warnings, err := k.update(t, old, none, tc.to)
			var want []string
			// A pod refuses the update.
			if tc.lost && k.name != "Pod" {
				want = []string{k.lost("containers[1]")}
			}
			if diff := cmp.Diff(want, warnings, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("%s to %s: warnings (-want +got):\n%s", tc.from, tc.to, diff)
			}
			if k.templateImmutable {
				if err == nil || !strings.Contains(err.Error(), "field is immutable") {
					t.Errorf("%s to %s: got error %v, want one that says field is immutable", tc.from, tc.to, err)
				}
				continue
			}
			if err != nil {
				t.Errorf("%s to %s: %v", tc.from, tc.to, err)
			}
			if got := k.types(obj); got != tc.wantTypes {
				t.Errorf("%s to %s: got types %q, want %q", tc.from, tc.to, got, tc.wantTypes)
			}
		}
	})
}
