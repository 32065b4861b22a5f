package codegen

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"sidecar-node/build/internal/git"
)

// pondTags are those of an invented tree with the shape of Kubernetes: internal
// types, published types and conversions between them.
var pondTags = []tag{
	{"pkg/apis/pond", "deepcopy-gen", "package"},
	{"pkg/apis/pond/v1", "conversion-gen", "k8s.io/kubernetes/pkg/apis/pond"},
	{"pkg/apis/pond/v1", "conversion-gen-external-types", "k8s.io/api/pond/v1"},
	{"pkg/apis/pond/v1", "defaulter-gen", "TypeMeta"},
	{"pkg/apis/pond/v1", "validation-gen", "TypeMeta"},
	{"pkg/apis/sea/v1", "validation-gen", "TypeMeta"},
	{"pkg/apis/sea/v1", "conversion-gen", "k8s.io/kubernetes/pkg/apis/sea"},
	{"staging/src/k8s.io/api/pond/v1", "deepcopy-gen", "package"},
	{"staging/src/k8s.io/api/pond/v1", "openapi-gen", "true"},
	{"staging/src/k8s.io/api/pond/v1", "protobuf-gen", "package"},
	{"staging/src/k8s.io/api/sea/v1", "openapi-gen", "true"},
	{"staging/src/k8s.io/api/sea/v1", "deepcopy-gen", "package"},
}

func TestPlanFollowsTheTags(t *testing.T) {
	const api, internal, conversion = "staging/src/k8s.io/api/pond/v1", "pkg/apis/pond", "pkg/apis/pond/v1"
	for name, c := range map[string]struct {
		touched []string
		want    Plan
	}{
		"published types": {
			[]string{api + "/types.go"},
			Plan{
				Simple: map[string][]string{
					"deepcopy-gen": {api}, "conversion-gen": {conversion}, "defaulter-gen": {conversion},
				},
				Protobuf: []string{api}, Swagger: []string{api},
				Validation: []string{conversion, "pkg/apis/sea/v1"},
				OpenAPI:    []string{api, "staging/src/k8s.io/api/sea/v1"}, ApplyConfigurations: true, Fixtures: true,
			},
		},
		"internal types": {
			[]string{internal + "/types.go"},
			Plan{
				Simple: map[string][]string{
					"deepcopy-gen": {internal}, "conversion-gen": {conversion}, "defaulter-gen": {conversion},
				},
				Validation: []string{conversion, "pkg/apis/sea/v1"},
			},
		},
		"feature gates": {[]string{"pkg/features/kube_features.go"}, Plan{Simple: map[string][]string{}, Features: true}},
		"code without tags": {
			[]string{"pkg/pond/pond.go", api + "/types_test.go", "docs/pond.md"},
			Plan{Simple: map[string][]string{}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := newPlan(pondTags, c.touched)
			if fmt.Sprintf("%+v", got) != fmt.Sprintf("%+v", &c.want) {
				t.Errorf("plan  %+v\nwant  %+v", got, &c.want)
			}
			if empty := name == "code without tags"; got.Empty() != empty {
				t.Errorf("Empty() = %v", got.Empty())
			}
		})
	}
}

func TestReadTags(t *testing.T) {
	r := git.Repo{Dir: t.TempDir()}
	for p, text := range map[string]string{
		"pkg/apis/pond/doc.go":            "// +k8s:deepcopy-gen=package\n// +k8s:openapi-gen\n\n// no +k8s:defaulter-gen=true\npackage pond\n",
		"pkg/pond/testdata/x/doc.go":      "// +k8s:deepcopy-gen=package\npackage x\n",
		excluded[0] + "/examples/doc.go":  "// +k8s:deepcopy-gen=package\npackage examples\n",
		"pkg/apis/pond/notes.txt":         "// +k8s:deepcopy-gen=package\n",
		"pkg/apis/pond/untracked/more.go": "//+k8s:protobuf-gen=package\npackage more\n",
	} {
		f := filepath.Join(r.Dir, p)
		if err := os.MkdirAll(filepath.Dir(f), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(f, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := r.Run(context.Background(), "init", "-q", "--template="); err != nil {
		t.Fatal(err)
	}
	got, err := readTags(context.Background(), r)
	if err != nil {
		t.Fatal(err)
	}
	want := []tag{
		{"pkg/apis/pond", "deepcopy-gen", "package"},
		{"pkg/apis/pond", "openapi-gen", ""},
		{"pkg/apis/pond/untracked", "protobuf-gen", "package"},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("tags %v, want %v", got, want)
	}
}

func TestSourcesLeaveOutWhatNoGeneratorReads(t *testing.T) {
	r := git.Repo{Dir: t.TempDir()}
	f := filepath.Join(r.Dir, "pkg", "apis", "pond", "doc.go")
	if err := os.MkdirAll(filepath.Dir(f), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(f, []byte("// +k8s:deepcopy-gen=package\npackage pond\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Run(context.Background(), "init", "-q", "--template="); err != nil {
		t.Fatal(err)
	}
	got, err := (&Plan{}).Sources(context.Background(), r, []string{
		"pkg/apis/pond/types.go", "pkg/apis/pond/types_test.go", "pkg/kubelet/kubelet.go",
		"pkg/features/kube_features.go", "staging/src/k8s.io/api/pond/v1/types.go",
	})
	if err != nil {
		t.Fatal(err)
	}
	want := "pkg/apis/pond/types.go pkg/features/kube_features.go staging/src/k8s.io/api/pond/v1/types.go"
	if strings.Join(got, " ") != want {
		t.Errorf("sources %v, want %s", got, want)
	}
}
