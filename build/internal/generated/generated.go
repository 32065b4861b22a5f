// Package generated knows which files of the Kubernetes tree are made by
// generators. They never appear in a patch: they are made again after the
// series is applied.
package generated

import (
	"path"
	"slices"
	"strings"
)

// names of generated files, wherever they are.
var names = []string{
	"generated.pb.go",
	"generated.proto",
	"generated.protomessage.pb.go",
	"types_swagger_doc_generated.go",
}

// folders whose files are all generated.
var folders = []string{
	"api/discovery/",
	"api/openapi-spec/",
	"staging/src/k8s.io/api/testdata/HEAD/",
	"staging/src/k8s.io/apiextensions-apiserver/pkg/apis/testdata/HEAD/",
	"test/compatibility_lifecycle/reference/",
}

// applyConfigurations holds generated files except for those in handWritten.
const applyConfigurations = "staging/src/k8s.io/client-go/applyconfigurations/"

var handWritten = []string{
	applyConfigurations + "OWNERS",
	applyConfigurations + "doc.go",
	applyConfigurations + "meta/v1/unstructured.go",
}

// Is reports whether the file at p, a path in the tree with slashes, is
// generated.
func Is(p string) bool {
	base := path.Base(p)
	if strings.HasPrefix(base, "zz_generated") || slices.Contains(names, base) {
		return true
	}
	for _, f := range folders {
		if strings.HasPrefix(p, f) {
			return true
		}
	}
	return strings.HasPrefix(p, applyConfigurations) &&
		!slices.Contains(handWritten, p) && !strings.HasSuffix(p, "_test.go")
}
