package rootfs

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"sidecar-node/build/internal/oci"
	"sidecar-node/build/internal/step"
)

// Builder makes file trees.
type Builder struct {
	// Dir gets one tar file a tree.
	Dir string
	// Reports gets one file a tree that lists its packages with versions.
	Reports string
	// Steps runs one step a tree.
	Steps *step.Runner
}

// Path is the tar file of the tree after Build.
func (b *Builder) Path(s *Spec) string { return filepath.Join(b.Dir, s.Name+".tar") }

// report lists the packages that the tree was made of.
func (b *Builder) report(s *Spec) string {
	return filepath.Join(b.Reports, "packages-"+s.Name+".txt")
}

// Build makes the tree unless there is one already that was made from the same
// description. A mirror that has moved on does not make a new one: remove the
// tar file to get current packages.
func (b *Builder) Build(ctx context.Context, s *Spec) error {
	description, err := json.Marshal(s)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(append(description, "format 1"...))
	return b.Steps.Run(ctx, step.Step{
		Name:    "rootfs-" + s.Name,
		Title:   fmt.Sprintf("unpack Debian %s packages for %s", s.Suite, s.Name),
		Inputs:  hex.EncodeToString(sum[:]),
		Outputs: []string{b.Path(s), b.report(s)},
		Repeat:  "go run ./build/cmd/sidecarctl rootfs " + s.Name,
		Do:      func(ctx context.Context) error { return b.build(ctx, s) },
	})
}

func (b *Builder) build(ctx context.Context, s *Spec) error {
	if _, err := exec.LookPath("mmdebstrap"); err != nil {
		return fmt.Errorf("mmdebstrap is missing: install the package mmdebstrap, or run `make setup`")
	}
	lines, err := Sources(ctx, s.Suite)
	if err != nil {
		return err
	}
	for _, dir := range []string{b.Dir, b.Reports} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
	}
	work, err := os.MkdirTemp(b.Dir, s.Name+".tmp")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	raw, packages := filepath.Join(work, "raw.tar"), filepath.Join(work, "packages")
	var args []string
	for _, option := range proxies(ctx) {
		args = append(args, "--aptopt="+option)
	}
	cmd := exec.CommandContext(ctx, "mmdebstrap", append(args, arguments(s, raw, packages)...)...)
	cmd.Stdin = strings.NewReader(strings.Join(lines, "\n") + "\n")
	cmd.Env = append(os.Environ(), fmt.Sprintf("SOURCE_DATE_EPOCH=%d", oci.Epoch.Unix()), "LC_ALL=C.UTF-8")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("mmdebstrap: %w\n%s", err, lastLines(string(out), 20))
	}
	tree := oci.NewTree()
	if err := tree.Tar(raw); err != nil {
		return err
	}
	for _, pattern := range s.Drop {
		if _, err := tree.Remove(pattern); err != nil {
			return err
		}
	}
	tmp := filepath.Join(work, "tree.tar")
	f, err := os.Create(tmp)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := tree.Write(f); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	if err := os.Rename(packages, b.report(s)); err != nil {
		return err
	}
	return os.Rename(tmp, b.Path(s))
}

// arguments of mmdebstrap. The lists of installed packages differ in where
// they are: a tree that was only extracted has no package database, but apt's
// archive folder is complete when the hook runs.
func arguments(s *Spec, tar, packages string) []string {
	args := []string{
		"--mode=auto", "--format=tar", "--variant=" + s.Variant, "--components=main",
		"--include=" + strings.Join(s.Packages, ","),
		"--aptopt=Acquire::Languages none",
		"--aptopt=Acquire::PDiffs false",
		"--aptopt=Apt::Install-Recommends false",
		"--aptopt=Acquire::Retries 3",
		"--dpkgopt=path-exclude=/usr/share/man/*",
		"--dpkgopt=path-exclude=/usr/share/locale/*",
		"--dpkgopt=path-exclude=/usr/share/doc/*",
		"--dpkgopt=path-include=/usr/share/doc/*/copyright",
	}
	if s.Variant == "extract" {
		args = append(args, `--extract-hook=ls "$1"/var/cache/apt/archives/ | grep '\.deb$' | sed 's/\.deb$//' | LC_ALL=C sort >`+quote(packages))
	} else {
		args = append(args, `--customize-hook=dpkg-query --admindir="$1"/var/lib/dpkg --show --showformat='${Package} ${Version}\n' | LC_ALL=C sort >`+quote(packages))
	}
	return append(args, s.Suite, tar, "-")
}

// quote makes a word for the shell.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

func lastLines(text string, n int) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}
