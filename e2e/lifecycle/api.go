package lifecycle

import (
	"context"
	"strings"

	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"sidecar-node/e2e/framework"
)

// IsRefused wants the API server to refuse the object with a text that holds
// all of these.
func IsRefused(ctx context.Context, s *framework.Space, manifest string, texts ...string) {
	_, err := s.DryRun(ctx, manifest)
	Expect(err).To(HaveOccurred(), "the API server took what it must refuse:\n%s", manifest)
	for _, text := range texts {
		Expect(strings.ToLower(err.Error())).To(ContainSubstring(strings.ToLower(text)))
	}
}

// LifecycleType returns lifecycle.type of a container in a pod as the API server
// gives it, or an empty text if it is not there.
func LifecycleType(pod *unstructured.Unstructured, container string) string {
	containers, _, err := unstructured.NestedSlice(pod.Object, "spec", "containers")
	Expect(err).To(Succeed())
	for _, c := range containers {
		c := c.(map[string]any)
		if c["name"] == container {
			t, _, err := unstructured.NestedString(c, "lifecycle", "type")
			Expect(err).To(Succeed())
			return t
		}
	}
	Expect(container).To(BeEmpty(), "the pod has no container of this name")
	return ""
}
