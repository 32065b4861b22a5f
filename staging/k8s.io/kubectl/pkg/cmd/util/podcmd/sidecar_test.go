/*
Copyright The Sidecar Node Authors.

SPDX-License-Identifier: Apache-2.0
*/

package podcmd

import (
	"bytes"
	"testing"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestDefaultContainerIsNoSidecar(t *testing.T) {
	sidecar, standard := v1.LifecycleTypeSidecar, v1.LifecycleTypeStandard
	container := func(name string, lifecycleType *v1.LifecycleType) v1.Container {
		return v1.Container{Name: name, Lifecycle: &v1.Lifecycle{Type: lifecycleType}}
	}
	for _, test := range []struct {
		name       string
		containers []v1.Container
		annotation string
		want       string
	}{
		{name: "one", containers: []v1.Container{{Name: "app"}}, want: "app"},
		{name: "no sidecar", containers: []v1.Container{{Name: "a"}, {Name: "b"}}, want: "a"},
		{name: "sidecar first", containers: []v1.Container{container("proxy", &sidecar), {Name: "app"}}, want: "app"},
		{name: "sidecar last", containers: []v1.Container{{Name: "app"}, container("proxy", &sidecar)}, want: "app"},
		{name: "standard", containers: []v1.Container{container("proxy", &sidecar), container("app", &standard)}, want: "app"},
		{name: "hooks only", containers: []v1.Container{container("proxy", &sidecar), container("app", nil)}, want: "app"},
		{name: "nothing but sidecars, by an odd server", containers: []v1.Container{container("proxy", &sidecar)}, want: "proxy"},
		{name: "annotation", containers: []v1.Container{container("proxy", &sidecar), {Name: "app"}}, annotation: "proxy", want: "proxy"},
	} {
		t.Run(test.name, func(t *testing.T) {
			pod := &v1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "pod"}, Spec: v1.PodSpec{Containers: test.containers}}
			if test.annotation != "" {
				pod.Annotations = map[string]string{DefaultContainerAnnotationName: test.annotation}
			}
			got, err := FindOrDefaultContainerByName(pod, "", false, &bytes.Buffer{})
			if err != nil {
				t.Fatal(err)
			}
			if got.Name != test.want {
				t.Errorf("got %s, want %s", got.Name, test.want)
			}
			if test.annotation == "" && FirstAppContainerName(pod) != test.want {
				t.Errorf("logs: got %s, want %s", FirstAppContainerName(pod), test.want)
			}
		})
	}
}
