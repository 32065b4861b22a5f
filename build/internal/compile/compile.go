// Package compile builds the Kubernetes binaries from the tree of a variant.
// The same tree gives the same bytes on every machine: no paths, no build ids,
// no time of the build, no cgo.
package compile

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"sidecar-node/build/internal/digest"
	"sidecar-node/build/internal/disk"
	"sidecar-node/build/internal/git"
	"sidecar-node/build/internal/gotool"
	"sidecar-node/build/internal/layout"
	"sidecar-node/build/internal/lock"
	"sidecar-node/build/internal/replace"
)

// Commands are the names of the binaries.
var Commands = []string{"kube-apiserver", "kube-controller-manager", "kube-proxy", "kube-scheduler", "kubeadm", "kubectl", "kubelet"}

// versionPackages are the packages that hold the version of a binary.
var versionPackages = []string{"k8s.io/component-base/version", "k8s.io/client-go/pkg/version"}

// space is what a build from empty caches needs.
const space = 5 << 30

// Build is one build of a variant.
type Build struct {
	// Variant says which tree is compiled.
	Variant layout.Variant
	// Lock gives the version and the date.
	Lock *lock.Lock
	// Tree is the scratch repository.
	Tree git.Repo
	// Base is the revision of Tree that the tool made. Its tree id is what
	// the binaries report as their git commit, and a binary whose sources
	// differ from it reports a dirty tree.
	Base string
	// Bin is the folder for the binaries.
	Bin string
	// Out receives the lines that people read.
	Out io.Writer
}

// manifest records in the folder of the binaries what each was made from.
type manifest struct {
	Version  string            `json:"version"`
	Binaries map[string]record `json:"binaries"`
}

type record struct {
	Inputs string `json:"inputs"`
	SHA256 string `json:"sha256"`
}

// ManifestFile is the name of the manifest in the folder of the binaries.
const ManifestFile = "manifest.json"

// Inputs is a digest of everything that the binaries depend on.
func (b *Build) Inputs(ctx context.Context) (string, error) {
	base, err := b.Tree.Tree(ctx, b.Base)
	if err != nil {
		return "", err
	}
	work, err := b.Tree.WorkTree(ctx)
	if err != nil {
		return "", err
	}
	return strings.Join([]string{runtime.Version(), b.Lock.GitVersion(b.Variant), b.Lock.Date.String(), base, work}, " "), nil
}

// Run compiles the binaries whose sources have changed since the last run and
// leaves the others as they are. A binary is put in its place only after it
// has reported the right version.
func (b *Build) Run(ctx context.Context) error {
	base, err := b.Tree.Tree(ctx, b.Base)
	if err != nil {
		return err
	}
	work, err := b.Tree.WorkTree(ctx)
	if err != nil {
		return err
	}
	changes, err := b.Tree.Changes(ctx, base, work)
	if err != nil {
		return err
	}
	files, err := b.Tree.Entries(ctx, work)
	if err != nil {
		return err
	}
	sources, err := b.sources(ctx)
	if err != nil {
		return err
	}
	have := b.read()
	// One run of the go command for each tree state, so that it builds and
	// links side by side what it can.
	stale := map[string][]string{}
	next := &manifest{Version: b.Lock.GitVersion(b.Variant), Binaries: map[string]record{}}
	for _, name := range Commands {
		state := "clean"
		for _, c := range changes {
			if slices.Contains(sources[name], c.Path) {
				state = "dirty"
			}
		}
		inputs := hashInputs(b.ldflags(base, state), sources[name], files)
		old, ok := have.Binaries[name]
		if _, err := os.Stat(filepath.Join(b.Bin, name)); ok && err == nil && old.Inputs == inputs {
			next.Binaries[name] = old
			continue
		}
		stale[state] = append(stale[state], name)
		next.Binaries[name] = record{Inputs: inputs}
	}
	if len(stale) == 0 {
		fmt.Fprintln(b.Out, "    no binary depends on what changed")
		return b.write(next)
	}
	if err := b.room(ctx); err != nil {
		return err
	}
	tmp := b.Bin + ".new"
	if err := os.RemoveAll(tmp); err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	if err := os.MkdirAll(tmp, 0o755); err != nil {
		return err
	}
	if err := os.MkdirAll(b.Bin, 0o755); err != nil {
		return err
	}
	for state, names := range stale {
		start := time.Now()
		if err := b.goBuild(ctx, names, tmp+"/", b.ldflags(base, state)); err != nil {
			return err
		}
		fmt.Fprintf(b.Out, "    %s (%s tree): %.1f s\n", strings.Join(names, ", "), state, time.Since(start).Seconds())
	}
	for _, names := range stale {
		for _, n := range names {
			file := filepath.Join(tmp, n)
			if err := checkVersion(ctx, file, next.Version); err != nil {
				return err
			}
			sum, err := digest.File(file)
			if err != nil {
				return err
			}
			next.Binaries[n] = record{Inputs: next.Binaries[n].Inputs, SHA256: sum}
		}
	}
	// The manifest goes first: between the renames it names no binary wrongly.
	if err := os.Remove(filepath.Join(b.Bin, ManifestFile)); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	for _, names := range stale {
		for _, n := range names {
			if err := os.Rename(filepath.Join(tmp, n), filepath.Join(b.Bin, n)); err != nil {
				return err
			}
		}
	}
	return b.write(next)
}

// goBuild has the go command build the commands into out, a folder if it ends with a
// slash.
func (b *Build) goBuild(ctx context.Context, commands []string, out, ldflags string, flags ...string) error {
	args := append([]string{"build", "-o", out, "-ldflags=" + ldflags}, flags...)
	for _, n := range commands {
		args = append(args, "k8s.io/kubernetes/cmd/"+n)
	}
	cmd := gotool.Command(ctx, b.Tree.Dir, "go", args...)
	cmd.Env = append(cmd.Env, "CGO_ENABLED=0")
	return gotool.Run(cmd)
}

// Result reads what the last run made.
func (b *Build) Result() (*Result, error) {
	m := b.read()
	r := &Result{Variant: b.Variant, Version: m.Version, Binaries: map[string]Binary{}}
	for _, n := range Commands {
		rec, ok := m.Binaries[n]
		if !ok {
			return nil, fmt.Errorf("%s: no %s; compile it: hack/sidecarctl compile --variant %s", b.Bin, n, b.Variant)
		}
		r.Binaries[n] = Binary{Name: n, Path: filepath.Join(b.Bin, n), SHA256: rec.SHA256}
	}
	return r, nil
}

// ldflags stamps the version. The stamp holds nothing that changes while a
// developer works, except the word dirty.
func (b *Build) ldflags(tree, state string) string {
	flags := []string{"-s", "-w", "-buildid="}
	for _, p := range versionPackages {
		for _, v := range [][2]string{
			{"gitVersion", b.Lock.GitVersion(b.Variant)},
			{"gitMajor", "1"},
			{"gitMinor", b.Lock.Minor()},
			{"gitCommit", tree},
			{"gitTreeState", state},
			{"buildDate", b.Lock.Date.UTC().Format(time.RFC3339)},
		} {
			flags = append(flags, "-X", p+"."+v[0]+"="+v[1])
		}
	}
	return strings.Join(flags, " ")
}

func (b *Build) room(ctx context.Context) error {
	out, err := gotool.Output(gotool.Command(ctx, b.Tree.Dir, "go", "env", "GOCACHE"))
	if err != nil {
		return err
	}
	cache := strings.TrimSpace(string(out))
	if _, err := os.Stat(filepath.Join(b.Bin, ManifestFile)); err == nil {
		return nil
	}
	return disk.Require(cache, space, "the Go build cache")
}

func (b *Build) read() *manifest {
	m := &manifest{Binaries: map[string]record{}}
	data, err := os.ReadFile(filepath.Join(b.Bin, ManifestFile))
	if err != nil || json.Unmarshal(data, m) != nil || m.Binaries == nil {
		return &manifest{Binaries: map[string]record{}}
	}
	return m
}

func (b *Build) write(m *manifest) error {
	data, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	return replace.File(filepath.Join(b.Bin, ManifestFile), append(data, '\n'))
}

func hashInputs(ldflags string, sources []string, files map[string]git.Entry) string {
	h := sha256.New()
	fmt.Fprintln(h, runtime.Version(), ldflags)
	for _, s := range sources {
		fmt.Fprintln(h, s, files[s].ID)
	}
	return fmt.Sprintf("%x", h.Sum(nil))
}
