// Package codegen makes the generated code of the Kubernetes tree again, with
// upstream's own generators from the tree, for the packages that the series
// touches and for what is made from all packages together.
package codegen

import (
	"context"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"sidecar-node/build/internal/git"
)

// Plan says what is to be generated. Folders are paths in the tree.
type Plan struct {
	// Simple holds, for each generator that works on one package at a time,
	// the folders that it runs on.
	Simple map[string][]string
	// Protobuf and Swagger are the folders that get protobuf code and the
	// documentation of their types.
	Protobuf, Swagger []string
	// Validation holds all folders with declarative validation, if any of
	// them may change: the generator must see them together.
	Validation []string
	// OpenAPI holds all folders with published types, if any of them may
	// change.
	OpenAPI []string
	// ApplyConfigurations is true if the apply configurations of client-go may
	// change.
	ApplyConfigurations bool
	// Features is true if a list of feature gates may change.
	Features bool
	// Fixtures is true if the serialised examples of the API may change.
	Fixtures bool
}

// generator is one that works on a package at a time and writes one file.
type generator struct {
	tool, tag, file string
	args            []string
}

// simple generators, in the order in which they run.
var simple = []generator{
	{tool: "deepcopy-gen", tag: "deepcopy-gen", file: "zz_generated.deepcopy.go"},
	{tool: "prerelease-lifecycle-gen", tag: "prerelease-lifecycle-gen", file: "zz_generated.prerelease-lifecycle.go"},
	{tool: "defaulter-gen", tag: "defaulter-gen", file: "zz_generated.defaults.go"},
	{tool: "conversion-gen", tag: "conversion-gen", file: "zz_generated.conversion.go", args: []string{
		"--extra-peer-dirs", "k8s.io/kubernetes/pkg/apis/core",
		"--extra-peer-dirs", "k8s.io/kubernetes/pkg/apis/core/v1",
		"--extra-peer-dirs", "k8s.io/api/core/v1",
	}},
}

const (
	apiRoot  = "staging/src/k8s.io/api"
	metaV1   = "staging/src/k8s.io/apimachinery/pkg/apis/meta/v1"
	features = "kube_features.go"
)

// tag is one +k8s: comment in a file.
type tag struct{ dir, name, value string }

var tagForm = regexp.MustCompile(`^([^\x00]+)\x00// *\+k8s:([a-z-]+)(?:=(.*))?$`)

// excluded folders hold examples and tests of the generators themselves.
var excluded = []string{"staging/src/k8s.io/code-generator", "staging/src/k8s.io/sample-apiserver", "staging/src/k8s.io/sample-controller"}

// readTags returns the tags of all files of the tree in r.
func readTags(ctx context.Context, r git.Repo) ([]tag, error) {
	args := []string{"grep", "-z", "--untracked", "-I", "-e", "^// *+k8s:", "--", ":(glob)**/*.go", ":!*/testdata/*"}
	for _, e := range excluded {
		args = append(args, ":!"+e)
	}
	out, err := r.Do(ctx, git.Call{Args: args})
	if err != nil && git.ExitCode(err) != 1 {
		return nil, err
	}
	var tags []tag
	for line := range strings.Lines(string(out)) {
		if m := tagForm.FindStringSubmatch(strings.TrimSuffix(line, "\n")); m != nil {
			tags = append(tags, tag{path.Dir(m[1]), m[2], m[3]})
		}
	}
	return tags, nil
}

// Empty reports whether nothing is to be generated.
func (p *Plan) Empty() bool {
	return len(p.Simple) == 0 && len(p.Protobuf) == 0 && len(p.Swagger) == 0 && len(p.Validation) == 0 &&
		len(p.OpenAPI) == 0 && !p.ApplyConfigurations && !p.Features && !p.Fixtures
}

// NewPlan returns what is to be generated in the tree of r after a change of
// the files touched, which are paths in the tree.
func NewPlan(ctx context.Context, r git.Repo, touched []string) (*Plan, error) {
	tags, err := readTags(ctx, r)
	if err != nil {
		return nil, err
	}
	return newPlan(tags, touched), nil
}

func newPlan(tags []tag, touched []string) *Plan {
	p := &Plan{Simple: map[string][]string{}}
	dirs := map[string]bool{}
	types := map[string]bool{}
	for _, f := range touched {
		if !strings.HasSuffix(f, ".go") || strings.HasSuffix(f, "_test.go") {
			continue
		}
		dirs[path.Dir(f)] = true
		p.Features = p.Features || path.Base(f) == features
		if path.Base(f) == "types.go" {
			types[path.Dir(f)] = true
		}
	}
	// A tag may name the package that the generated code is about.
	concerned := func(t tag) bool { return dirs[t.dir] || dirs[treePath(t.value)] }
	// A package is concerned as a whole, through whichever tag.
	hit := map[string]bool{}
	for _, t := range tags {
		if concerned(t) {
			hit[t.dir] = true
		}
	}
	all := map[string]map[string]bool{}
	for _, t := range tags {
		if all[t.name] == nil {
			all[t.name] = map[string]bool{}
		}
		all[t.name][t.dir] = true
	}
	with := func(name string) []string {
		return slices.DeleteFunc(slices.Sorted(maps.Keys(all[name])), func(d string) bool { return !hit[d] })
	}
	for _, g := range simple {
		if d := with(g.tag); len(d) > 0 {
			p.Simple[g.tool] = d
		}
	}
	p.Protobuf = with("protobuf-gen")
	if len(with("validation-gen")) > 0 {
		p.Validation = slices.Sorted(maps.Keys(all["validation-gen"]))
	}
	published := map[string]bool{}
	maps.Copy(published, all["openapi-gen"])
	maps.Copy(published, all["openapi-model-package"])
	for d := range published {
		if hit[d] {
			p.OpenAPI = slices.Sorted(maps.Keys(published))
		}
	}
	for d := range dirs {
		if !strings.HasPrefix(d, apiRoot+"/") && d != metaV1 {
			continue
		}
		p.ApplyConfigurations, p.Fixtures = true, true
		if types[d] {
			p.Swagger = append(p.Swagger, d)
		}
	}
	slices.Sort(p.Swagger)
	return p
}

// treePath maps an import path to its folder in the tree, or returns "".
func treePath(importPath string) string {
	if rest, ok := strings.CutPrefix(importPath, "k8s.io/kubernetes/"); ok {
		return rest
	}
	if strings.HasPrefix(importPath, "k8s.io/") {
		return "staging/src/" + importPath
	}
	return ""
}

// importPath is the inverse of treePath.
func importPath(dir string) string {
	if rest, ok := strings.CutPrefix(dir, "staging/src/"); ok {
		return rest
	}
	return "k8s.io/kubernetes/" + dir
}

// Sources returns those of the files touched that the plan's generators read:
// those in packages with a tag, and the lists of feature gates. Other files
// cannot change what is generated.
func (p *Plan) Sources(ctx context.Context, r git.Repo, touched []string) ([]string, error) {
	tags, err := readTags(ctx, r)
	if err != nil {
		return nil, err
	}
	tagged := map[string]bool{}
	for _, t := range tags {
		tagged[t.dir] = true
	}
	var sources []string
	for _, f := range touched {
		d := path.Dir(f)
		switch {
		case strings.HasSuffix(f, "_test.go") && !strings.HasPrefix(f, apiRoot+"/"):
		case tagged[d], path.Base(f) == features, strings.HasPrefix(f, apiRoot+"/"),
			strings.HasPrefix(f, "staging/src/k8s.io/code-generator/"), strings.HasPrefix(f, "staging/src/k8s.io/apimachinery/"),
			strings.HasPrefix(f, "hack/"), strings.HasPrefix(f, "test/"), strings.HasPrefix(f, "api/"), strings.HasPrefix(f, "cmd/gen"):
			sources = append(sources, f)
		}
	}
	return sources, nil
}
