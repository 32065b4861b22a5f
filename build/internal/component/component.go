// Package component compiles the third-party binaries of the node image, each
// from a small pinned module of its own under images/components: the modules
// would change each other's dependencies if they shared one.
package component

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"golang.org/x/mod/modfile"

	"sidecar-node/build/internal/step"
)

// Component is a set of binaries that are compiled from one pinned module.
type Component struct {
	// Name is the folder below images/components with go.mod and go.sum.
	Name string
	// Module is the upstream module whose version is the component's.
	Module string
	// Packages maps the name of a binary to the import path of its package.
	// A path that starts with a dot is a package of ours in the folder.
	Packages map[string]string
	// Cgo says that the binaries need the C compiler. All others are static.
	Cgo bool
	// Libraries are the pkg-config names of the C libraries it links.
	Libraries []string
	// Tags are build tags.
	Tags []string
	// VersionVariables are linker names of the variables that hold the
	// version that the binary reports, without their leading v where Bare.
	VersionVariables []string
	// Bare says that the reported version has no leading v.
	Bare bool
}

// Builder compiles components.
type Builder struct {
	// Root is the folder images/components.
	Root string
	// Bin is the folder that gets the binaries.
	Bin string
	// Steps runs one step a component.
	Steps *step.Runner
}

// Path is the file of a binary after Build.
func (b *Builder) Path(binary string) string { return filepath.Join(b.Bin, binary) }

// Version returns the pinned version of the component, with its leading v.
func (b *Builder) Version(c Component) (string, error) {
	file := filepath.Join(b.Root, c.Name, "go.mod")
	data, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	mod, err := modfile.Parse(file, data, nil)
	if err != nil {
		return "", err
	}
	for _, r := range mod.Require {
		if r.Mod.Path == c.Module {
			return r.Mod.Version, nil
		}
	}
	return "", fmt.Errorf("%s: no requirement of %s: want the module that component %q is made from", file, c.Module, c.Name)
}

// Build compiles those binaries of the components whose inputs changed.
func (b *Builder) Build(ctx context.Context, components []Component) error {
	goVersion, err := goVersion(ctx)
	if err != nil {
		return err
	}
	for _, c := range components {
		inputs, err := b.digest(c, goVersion)
		if err != nil {
			return err
		}
		version, err := b.Version(c)
		if err != nil {
			return err
		}
		var outputs []string
		for binary := range c.Packages {
			outputs = append(outputs, b.Path(binary))
		}
		err = b.Steps.Run(ctx, step.Step{
			Name:    "component-" + c.Name,
			Title:   fmt.Sprintf("compile %s %s", c.Name, version),
			Inputs:  inputs,
			Outputs: outputs,
			Repeat:  "go run ./build/cmd/sidecarctl components " + c.Name,
			Do:      func(ctx context.Context) error { return b.compile(ctx, c, version) },
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// compile writes all binaries of the component, each whole or not at all.
func (b *Builder) compile(ctx context.Context, c Component, version string) error {
	if err := os.MkdirAll(b.Bin, 0o755); err != nil {
		return err
	}
	for _, library := range c.Libraries {
		if err := exec.CommandContext(ctx, "pkg-config", "--exists", library).Run(); err != nil {
			return fmt.Errorf("component %s links the C library %s, which pkg-config does not find: install lib%s-dev and pkg-config, or run `make setup`",
				c.Name, library, strings.TrimPrefix(library, "lib"))
		}
	}
	for _, binary := range c.binaries() {
		tmp := b.Path(binary) + ".tmp"
		cmd := exec.CommandContext(ctx, "go", append(c.buildFlags(version), "-o", tmp, c.Packages[binary])...)
		cmd.Dir = filepath.Join(b.Root, c.Name)
		cmd.Env = append(os.Environ(), c.environment()...)
		if out, err := cmd.CombinedOutput(); err != nil {
			os.Remove(tmp)
			return fmt.Errorf("compile %s: %w\n%s", binary, err, out)
		}
		if err := os.Rename(tmp, b.Path(binary)); err != nil {
			return err
		}
	}
	return nil
}

func (c Component) buildFlags(version string) []string {
	if c.Bare {
		version = strings.TrimPrefix(version, "v")
	}
	ldflags := []string{"-s", "-w", "-buildid="}
	for _, v := range c.VersionVariables {
		ldflags = append(ldflags, "-X", v+"="+version)
	}
	return []string{"build", "-mod=readonly", "-trimpath", "-buildvcs=false",
		"-tags", strings.Join(c.Tags, ","), "-ldflags", strings.Join(ldflags, " ")}
}

// environment keeps the developer's own Go settings out of the binaries.
func (c Component) environment() []string {
	cgo := "0"
	if c.Cgo {
		cgo = "1"
	}
	return []string{"CGO_ENABLED=" + cgo, "GOFLAGS=", "GOWORK=off", "GOEXPERIMENT=", "GOAMD64=v1"}
}

// digest covers what the binaries are made from: the pinned module, files of
// ours in its folder, the flags and the compiler.
func (b *Builder) digest(c Component, goVersion string) (string, error) {
	h := sha256.New()
	fmt.Fprintln(h, goVersion, c.Name, c.buildFlags("v"), c.environment())
	for _, binary := range c.binaries() {
		fmt.Fprintln(h, binary, c.Packages[binary])
	}
	dir := filepath.Join(b.Root, c.Name)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", fmt.Errorf("component %s: %w", c.Name, err)
	}
	for _, e := range entries {
		if e.IsDir() {
			continue
		}
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return "", err
		}
		fmt.Fprintf(h, "%s %d %x\n", e.Name(), len(data), sha256.Sum256(data))
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

func goVersion(ctx context.Context) (string, error) {
	out, err := exec.CommandContext(ctx, "go", "env", "GOVERSION", "GOARCH").Output()
	if err != nil {
		return "", fmt.Errorf("ask the go command for its version: %w", err)
	}
	return strings.Join(strings.Fields(string(out)), " "), nil
}
