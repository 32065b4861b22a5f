/*
Copyright The Sidecar Node Authors.

SPDX-License-Identifier: Apache-2.0
*/

package describe

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"
)

func TestDescribeShowsTheLifecycleType(t *testing.T) {
	sidecar := corev1.LifecycleTypeSidecar
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "pod", Namespace: "ns"},
		Spec: corev1.PodSpec{Containers: []corev1.Container{
			{Name: "app"},
			{Name: "hooked", Lifecycle: &corev1.Lifecycle{PreStop: &corev1.LifecycleHandler{}}},
			{Name: "proxy", Lifecycle: &corev1.Lifecycle{Type: &sidecar}},
		}},
	}
	client := &describeClient{T: t, Namespace: "ns", Interface: fake.NewClientset(pod)}
	out, err := (&PodDescriber{client}).Describe("ns", "pod", DescriberSettings{})
	if err != nil {
		t.Fatal(err)
	}
	_, proxy, _ := strings.Cut(out, "  proxy:")
	if strings.Count(out, "Lifecycle Type:") != 1 || !strings.Contains(proxy, "Lifecycle Type:  Sidecar") {
		t.Errorf("want the type of container proxy only, in\n%s", out)
	}
}
