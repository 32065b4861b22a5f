package generated

import "testing"

func TestIs(t *testing.T) {
	for path, want := range map[string]bool{
		"pkg/apis/core/zz_generated.deepcopy.go":                                     true,
		"pkg/generated/openapi/zz_generated.openapi.go":                              true,
		"staging/src/k8s.io/api/core/v1/generated.pb.go":                             true,
		"staging/src/k8s.io/api/core/v1/generated.proto":                             true,
		"staging/src/k8s.io/api/core/v1/types_swagger_doc_generated.go":              true,
		"staging/src/k8s.io/api/testdata/HEAD/core.v1.Pod.yaml":                      true,
		"api/openapi-spec/swagger.json":                                              true,
		"test/compatibility_lifecycle/reference/versioned_feature_list.yaml":         true,
		"staging/src/k8s.io/client-go/applyconfigurations/core/v1/lifecycle.go":      true,
		"staging/src/k8s.io/client-go/applyconfigurations/internal/internal.go":      true,
		"staging/src/k8s.io/client-go/applyconfigurations/meta/v1/unstructured.go":   false,
		"staging/src/k8s.io/client-go/applyconfigurations/core/v1/lifecycle_test.go": false,
		"staging/src/k8s.io/api/core/v1/types.go":                                    false,
		"staging/src/k8s.io/kubelet/pkg/apis/podresources/v1/api.proto":              false,
		"pkg/features/kube_features.go":                                              false,
		"staging/src/k8s.io/api/testdata/v1.36.0/core.v1.Pod.yaml":                   false,
		"api/api-rules/violation_exceptions.list":                                    false,
		"pkg/kubelet/sidecar/order.go":                                               false,
	} {
		if got := Is(path); got != want {
			t.Errorf("Is(%q) = %v, want %v", path, got, want)
		}
	}
}
