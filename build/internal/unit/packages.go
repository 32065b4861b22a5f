// Package unit runs upstream's own tests of every package that the series
// touches, and the tests of the overlay, with the feature gate off and on.
package unit

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"sidecar-node/build/internal/gotool"
)

// Folders returns the folders with Go files of the tree at dir that the
// changed paths belong to, sorted. A changed file in a folder without Go files,
// such as one below testdata, belongs to the nearest folder above that has some.
func Folders(dir string, changed []string) ([]string, error) {
	found := map[string]bool{}
	for _, p := range changed {
		for d := path.Dir(p); d != "."; d = path.Dir(d) {
			if ignored(d) {
				continue
			}
			ok, err := hasGo(filepath.Join(dir, filepath.FromSlash(d)))
			if err != nil {
				return nil, err
			}
			if ok {
				found[d] = true
				break
			}
		}
	}
	return slices.Sorted(maps.Keys(found)), nil
}

// ignored reports whether the go command leaves a folder out.
func ignored(dir string) bool {
	for part := range strings.SplitSeq(dir, "/") {
		if part == "testdata" || strings.HasPrefix(part, "_") || strings.HasPrefix(part, ".") {
			return true
		}
	}
	return false
}

func hasGo(dir string) (bool, error) {
	files, err := os.ReadDir(dir)
	if errors.Is(err, os.ErrNotExist) {
		// The whole folder was deleted.
		return false, nil
	}
	for _, f := range files {
		if !f.IsDir() && strings.HasSuffix(f.Name(), ".go") {
			return true, nil
		}
	}
	return false, err
}

// Packages returns the import paths of those folders that hold tests.
func Packages(ctx context.Context, dir string, folders []string) ([]string, error) {
	if len(folders) == 0 {
		return nil, nil
	}
	args := []string{"list", "-e", "-json=ImportPath,TestGoFiles,XTestGoFiles"}
	for _, f := range folders {
		args = append(args, "./"+f)
	}
	out, err := gotool.Output(gotool.Command(ctx, dir, "go", args...))
	if err != nil {
		return nil, err
	}
	var packages []string
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p struct {
			ImportPath                string
			TestGoFiles, XTestGoFiles []string
		}
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, err
		}
		if len(p.TestGoFiles)+len(p.XTestGoFiles) > 0 {
			packages = append(packages, p.ImportPath)
		}
	}
	slices.Sort(packages)
	return packages, nil
}

// areas are the parts of Kubernetes that could notice the feature at all, beside the
// packages that the series touches. They hold over 100 packages more.
var areas = []string{
	"pkg/api/...",
	"pkg/apis/core/...",
	"pkg/controller/job/...",
	"pkg/kubelet/...",
	"pkg/printers/...",
	"pkg/registry/...",
	"pkg/scheduler/...",
}

// Wide returns, for the folders that are changed, the patterns of everything that could
// notice: the areas, and the whole of each staging module in which something is changed.
func Wide(folders []string) []string {
	const staging = "staging/src/k8s.io/"
	patterns := slices.Clone(areas)
	for _, f := range folders {
		if inModule, ok := strings.CutPrefix(f, staging); ok {
			module, _, _ := strings.Cut(inModule, "/")
			patterns = append(patterns, staging+module+"/...")
			continue
		}
		if !slices.ContainsFunc(areas, func(a string) bool { return strings.HasPrefix(f+"/", strings.TrimSuffix(a, "...")) }) {
			patterns = append(patterns, f)
		}
	}
	slices.Sort(patterns)
	return slices.Compact(patterns)
}
