package codegen

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"sidecar-node/build/internal/git"
	"sidecar-node/build/internal/gotool"
)

// boilerplate is the head of generated files.
const boilerplate = "hack/boilerplate/boilerplate.generatego.txt"

// lint is what upstream asks of the tags of the packages.
const lint = "--lint-rules=known-tags-only,require-explicit-disablement"

// readOnly are packages whose validations are used but not made.
var readOnly = []string{
	"k8s.io/apimachinery/pkg/api/resource",
	"k8s.io/apimachinery/pkg/runtime",
	"k8s.io/apimachinery/pkg/types",
	"k8s.io/apimachinery/pkg/util/intstr",
	"time",
}

// tools are the packages of the programs that the plan runs.
var tools = []string{
	"k8s.io/code-generator/cmd/deepcopy-gen",
	"k8s.io/code-generator/cmd/prerelease-lifecycle-gen",
	"k8s.io/code-generator/cmd/defaulter-gen",
	"k8s.io/code-generator/cmd/conversion-gen",
	"k8s.io/code-generator/cmd/validation-gen",
	"k8s.io/code-generator/cmd/go-to-protobuf",
	"k8s.io/code-generator/cmd/go-to-protobuf/protoc-gen-gogo",
	"k8s.io/code-generator/cmd/applyconfiguration-gen",
	"k8s.io/kube-openapi/cmd/openapi-gen",
	"golang.org/x/tools/cmd/goimports",
	"k8s.io/kubernetes/cmd/genswaggertypedocs",
}

// run is one run of a plan.
type run struct {
	plan *Plan
	// dir is the tree, bin the folder of the generators, tmp one for scratch
	// files.
	dir, bin, tmp string
	out           io.Writer
}

// Run generates in the tree of r. The generators are compiled from that tree
// into bin. Progress, with the seconds of each generator, goes to out.
func (p *Plan) Run(ctx context.Context, r git.Repo, bin string, out io.Writer) error {
	if p.Empty() {
		return nil
	}
	tmp, err := os.MkdirTemp("", "sidecarctl-codegen-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	g := &run{plan: p, dir: r.Dir, bin: bin, tmp: tmp, out: out}
	type part struct {
		title  string
		wanted bool
		do     func(context.Context) error
	}
	// Protobuf comes first: what follows reads the methods that it writes.
	parts := []part{
		{"generators", true, g.build},
		{"protobuf", len(p.Protobuf) > 0, g.protobuf},
	}
	for _, s := range simple {
		parts = append(parts, part{strings.TrimSuffix(s.tool, "-gen"), len(p.Simple[s.tool]) > 0, func(ctx context.Context) error { return g.simple(ctx, s) }})
	}
	parts = append(parts,
		part{"swagger documentation", len(p.Swagger) > 0, g.swagger},
		part{"validation", len(p.Validation) > 0, g.validation},
		part{"openapi", len(p.OpenAPI) > 0, g.openAPI},
		part{"apply configurations", p.ApplyConfigurations, g.applyConfigurations},
		part{"feature lists", p.Features, g.features},
		part{"fixtures", p.Fixtures, g.fixtures},
	)
	for _, part := range parts {
		if !part.wanted {
			continue
		}
		start := time.Now()
		if err := part.do(ctx); err != nil {
			return fmt.Errorf("generate %s: %w", part.title, err)
		}
		fmt.Fprintf(out, "    %s: %.1f s\n", part.title, time.Since(start).Seconds())
	}
	return nil
}

// tool runs a program from bin in the tree.
func (g *run) tool(ctx context.Context, name string, args ...string) ([]byte, error) {
	cmd := gotool.Command(ctx, g.dir, filepath.Join(g.bin, name), args...)
	// The generators start each other, and goimports, by name.
	cmd.Env = gotool.Env(g.dir, "PATH="+g.bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	return gotool.Output(cmd)
}

func (g *run) build(ctx context.Context) error {
	if err := os.MkdirAll(g.bin, 0o755); err != nil {
		return err
	}
	return gotool.Run(gotool.Command(ctx, g.dir, "go", append([]string{"build", "-o", g.bin + "/"}, tools...)...))
}

func (g *run) simple(ctx context.Context, s generator) error {
	args := append([]string{"-v", "0", "--go-header-file", boilerplate, "--output-file", s.file, lint}, s.args...)
	_, err := g.tool(ctx, s.tool, append(args, relative(g.plan.Simple[s.tool])...)...)
	return err
}

func (g *run) validation(ctx context.Context) error {
	const prefix = "zz_generated.validations."
	args := []string{
		"-v", "0", "--go-header-file", boilerplate, "--output-file", prefix + "go", lint,
		"--test-output-root", "test/declarative_validation",
		"--test-output-file-prefix", prefix,
		"--test-allowlist", "test/declarative_validation/coverage-allowlist.yaml",
	}
	for _, p := range readOnly {
		args = append(args, "--readonly-pkg", p)
	}
	_, err := g.tool(ctx, "validation-gen", append(args, relative(g.plan.Validation)...)...)
	return err
}

// openAPI writes the definitions of all published types, and compares the
// report on API rules with the exceptions that upstream grants.
func (g *run) openAPI(ctx context.Context) error {
	const dir, exceptions = "pkg/generated/openapi", "api/api-rules/violation_exceptions.list"
	report := filepath.Join(g.tmp, "violations")
	args := []string{
		"-v", "0", "--go-header-file", boilerplate,
		"--output-file", "zz_generated.openapi.go", "--output-dir", dir, "--output-pkg", importPath(dir),
		"--output-model-name-file", "zz_generated.model_name.go", "--report-filename", report,
	}
	if _, err := g.tool(ctx, "openapi-gen", append(args, relative(g.plan.OpenAPI)...)...); err != nil {
		return err
	}
	found, err := os.ReadFile(report)
	if err != nil {
		return err
	}
	granted, err := os.ReadFile(filepath.Join(g.dir, exceptions))
	if err != nil {
		return err
	}
	if !bytes.Equal(found, granted) {
		return fmt.Errorf("the types break rules of the API: the report differs from %s; lines only in the report:\n%s", exceptions, strings.Join(missing(found, granted), "\n"))
	}
	return nil
}

// missing returns the lines of a that are not in b.
func missing(a, b []byte) []string {
	have := map[string]bool{}
	for l := range strings.Lines(string(b)) {
		have[l] = true
	}
	var lines []string
	for l := range strings.Lines(string(a)) {
		if !have[l] {
			lines = append(lines, strings.TrimSpace(l))
		}
	}
	return lines
}

func (g *run) applyConfigurations(ctx context.Context) error {
	const pkg = "k8s.io/client-go/applyconfigurations"
	// The schema comes from a program that contains the OpenAPI definitions.
	if err := gotool.Run(gotool.Command(ctx, g.dir, "go", "build", "-o", g.bin+"/", "k8s.io/kubernetes/pkg/generated/openapi/cmd/models-schema")); err != nil {
		return err
	}
	schema, err := g.tool(ctx, "models-schema")
	if err != nil {
		return err
	}
	file := filepath.Join(g.tmp, "schema.json")
	if err := os.WriteFile(file, schema, 0o644); err != nil {
		return err
	}
	out, err := git.Repo{Dir: g.dir}.Run(ctx, "ls-files", "--", ":(glob)"+apiRoot+"/**/types.go")
	if err != nil {
		return err
	}
	args := []string{
		"-v", "0", "--go-header-file", boilerplate, "--openapi-schema", file,
		"--output-dir", filepath.Join(g.dir, treePath(pkg)), "--output-pkg", pkg,
	}
	for f := range strings.Lines(out) {
		args = append(args, importPath(path.Dir(strings.TrimSpace(f))))
	}
	_, err = g.tool(ctx, "applyconfiguration-gen", append(args, importPath(metaV1))...)
	return err
}

// features writes upstream's list of feature gates and its table of them.
func (g *run) features(ctx context.Context) error {
	for _, args := range [][]string{
		{"run", "test/compatibility_lifecycle/main.go", "feature-gates", "update"},
		{"run", "cmd/genfeaturegates/genfeaturegates.go", "-output=test/compatibility_lifecycle/reference/feature_list.md"},
	} {
		if err := gotool.Run(gotool.Command(ctx, g.dir, "go", args...)); err != nil {
			return err
		}
	}
	return nil
}

// fixtures writes the serialised examples of the API, which upstream's test
// compares with what the code writes, and then runs that test.
func (g *run) fixtures(ctx context.Context) error {
	args := []string{"test", "k8s.io/api", "-run", "//HEAD", "-count=1"}
	update := gotool.Command(ctx, g.dir, "go", args...)
	update.Env = append(update.Env, "UPDATE_COMPATIBILITY_FIXTURE_DATA=true")
	// While it updates, the test fails for every example that has changed.
	updateErr := gotool.Run(update)
	if err := gotool.Run(gotool.Command(ctx, g.dir, "go", args...)); err != nil {
		return fmt.Errorf("%w\nbefore it: %v", err, updateErr)
	}
	return ctx.Err()
}

// relative puts ./ in front of folders, as the generators want them.
func relative(dirs []string) []string {
	args := make([]string, len(dirs))
	for i, d := range dirs {
		args[i] = "./" + d
	}
	return args
}
