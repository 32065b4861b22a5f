package codegen

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"sidecar-node/build/internal/gotool"
)

// gogo holds the .proto files that the generated ones import. Upstream finds
// them in its vendor folder, which the tree does not have.
const gogo = "github.com/gogo/protobuf"

var errNoProtoc = errors.New("protoc is not in PATH: install the package protobuf-compiler (make doctor lists all that is missing)")

func (g *run) protobuf(ctx context.Context) error {
	if _, err := exec.LookPath("protoc"); err != nil {
		return errNoProtoc
	}
	if err := gotool.Run(gotool.Command(ctx, g.dir, "go", "mod", "download", gogo)); err != nil {
		return err
	}
	out, err := gotool.Output(gotool.Command(ctx, g.dir, "go", "list", "-m", "-f", "{{.Dir}}", gogo))
	if err != nil {
		return err
	}
	imports := filepath.Join(g.tmp, "imports")
	link := filepath.Join(imports, filepath.FromSlash(gogo))
	if err := os.MkdirAll(filepath.Dir(link), 0o755); err != nil {
		return err
	}
	if err := os.Symlink(strings.TrimSpace(string(out)), link); err != nil {
		return err
	}
	var packages []string
	for _, d := range g.plan.Protobuf {
		packages = append(packages, importPath(d))
	}
	staging := filepath.Join(g.dir, "staging", "src")
	// A relative output folder would write the files where goimports does not
	// find them.
	_, err = g.tool(ctx, "go-to-protobuf",
		"-v", "0",
		"--go-header-file", filepath.Join(g.dir, filepath.FromSlash(boilerplate)),
		"--output-dir="+staging,
		"--proto-import="+staging,
		"--proto-import="+imports,
		"--proto-import="+filepath.Join(g.dir, "third_party", "protobuf"),
		"--packages="+strings.Join(packages, ","),
	)
	return err
}
