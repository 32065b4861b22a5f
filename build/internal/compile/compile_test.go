package compile

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sidecar-node/build/internal/git"
	"sidecar-node/build/internal/layout"
	"sidecar-node/build/internal/lock"
)

// tree makes an invented tree with the seven commands, of which only kubelet
// uses package pond.
func tree(t *testing.T) git.Repo {
	t.Helper()
	r := git.Repo{Dir: t.TempDir()}
	version := "package version\n\nvar gitVersion, gitMajor, gitMinor, gitCommit, gitTreeState, buildDate string\n\nfunc All() string {\n\treturn gitVersion + \" \" + gitMajor + \" \" + gitMinor + \" \" + gitCommit + \" \" + gitTreeState + \" \" + buildDate\n}\n"
	files := map[string]string{
		"go.mod":                              "module k8s.io/kubernetes\n\ngo 1.26\n",
		"go.sum":                              "",
		"go.work":                             "go 1.26\n\nuse (\n\t.\n\t./staging/src/k8s.io/client-go\n\t./staging/src/k8s.io/component-base\n)\n",
		"staging/src/k8s.io/client-go/go.mod": "module k8s.io/client-go\n\ngo 1.26\n",
		"staging/src/k8s.io/client-go/pkg/version/base.go":     version,
		"staging/src/k8s.io/component-base/go.mod":             "module k8s.io/component-base\n\ngo 1.26\n",
		"staging/src/k8s.io/component-base/version/version.go": version,
		"pkg/pond/pond.go":      "package pond\n\nconst Depth = 1\n",
		"pkg/pond/pond_test.go": "package pond\n",
	}
	for _, c := range Commands {
		pond := ""
		if c == "kubelet" {
			pond = "\t_ \"k8s.io/kubernetes/pkg/pond\"\n"
		}
		files["cmd/"+c+"/main.go"] = "package main\n\nimport (\n\t\"fmt\"\n\n\tclient \"k8s.io/client-go/pkg/version\"\n\t\"k8s.io/component-base/version\"\n" + pond + ")\n\nfunc main() { fmt.Println(version.All()); fmt.Println(client.All()) }\n"
	}
	for p, text := range files {
		write(t, r, p, text)
	}
	for _, args := range [][]string{{"init", "-q", "--template="}, {"add", "-A", "."}, {"commit", "-q", "-m", "tree"}, {"update-ref", "refs/base", "HEAD"}} {
		if _, err := r.Run(context.Background(), args...); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

func write(t *testing.T, r git.Repo, p, text string) {
	t.Helper()
	f := filepath.Join(r.Dir, filepath.FromSlash(p))
	if err := os.MkdirAll(filepath.Dir(f), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(f, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func build(t *testing.T, r git.Repo, out *bytes.Buffer) *Build {
	t.Helper()
	return &Build{
		Variant: layout.Sidecar,
		Lock:    &lock.Lock{Kubernetes: "v1.37.2", Distribution: "sidecar.1", Date: time.Date(2026, 10, 27, 12, 1, 4, 0, time.UTC)},
		Tree:    r, Base: "refs/base", Bin: filepath.Join(t.TempDir(), "bin"), Out: out,
	}
}

// sums compiles and returns the hash of each binary.
func sums(t *testing.T, b *Build) map[string]string {
	t.Helper()
	if err := b.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	r, err := b.Result()
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for n, bin := range r.Binaries {
		all[n] = bin.SHA256
	}
	return all
}

func TestBuild(t *testing.T) {
	ctx := context.Background()
	r := tree(t)
	var out bytes.Buffer
	b := build(t, r, &out)
	first := sums(t, b)
	id, err := r.Tree(ctx, "refs/base")
	if err != nil {
		t.Fatal(err)
	}
	stamp := func(state string) string {
		line := fmt.Sprintf("v1.37.2+sidecar.1 1 37 %s %s 2026-10-27T12:01:04Z\n", id, state)
		return line + line
	}
	says := func(name string) string {
		t.Helper()
		text, err := exec.Command(filepath.Join(b.Bin, name)).Output()
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	if got := says("kubelet"); got != stamp("clean") {
		t.Errorf("kubelet says %q, want %q", got, stamp("clean"))
	}

	// The same tree elsewhere gives the same bytes.
	other := build(t, tree(t), &out)
	for n, sum := range sums(t, other) {
		if sum != first[n] {
			t.Errorf("%s differs between two folders", n)
		}
	}

	// Nothing changed, and a change that no binary sees.
	write(t, r, "pkg/pond/pond_test.go", "package pond\n\n// Changed.\n")
	out.Reset()
	sums(t, b)
	if !strings.Contains(out.String(), "no binary depends on what changed") {
		t.Errorf("output %q", out.String())
	}

	// One line of the kubelet: only the kubelet changes, and says so.
	write(t, r, "pkg/pond/pond.go", "package pond\n\nconst Depth = 2\n")
	out.Reset()
	for n, sum := range sums(t, b) {
		if changed := sum != first[n]; changed != (n == "kubelet") {
			t.Errorf("%s: changed is %v", n, changed)
		}
	}
	if !strings.Contains(out.String(), "    kubelet (dirty tree): ") {
		t.Errorf("output %q", out.String())
	}
	if got := says("kubelet"); got != stamp("dirty") {
		t.Errorf("kubelet says %q, want %q", got, stamp("dirty"))
	}
	if got := says("kubectl"); got != stamp("clean") {
		t.Errorf("kubectl says %q", got)
	}

	// Back again: the first bytes.
	write(t, r, "pkg/pond/pond.go", "package pond\n\nconst Depth = 1\n")
	if again := sums(t, b); again["kubelet"] != first["kubelet"] {
		t.Error("the same tree gives other bytes")
	}

	// A failed build leaves what is there.
	write(t, r, "pkg/pond/pond.go", "package pond\n\nconst Depth int = \"\"\n")
	if err := b.Run(ctx); err == nil || !strings.Contains(err.Error(), "pond.go:3") {
		t.Errorf("error %v", err)
	}
	if got := says("kubelet"); got != stamp("clean") {
		t.Errorf("after a failed build kubelet says %q", got)
	}
	if left, _ := filepath.Glob(b.Bin + ".*"); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestBinaryWithAnotherVersionIsRefused(t *testing.T) {
	r := tree(t)
	write(t, r, "cmd/kubeadm/main.go", "package main\n\nfunc main() { println(\"v1.0.0\") }\n")
	b := build(t, r, &bytes.Buffer{})
	err := b.Run(context.Background())
	if err == nil || !strings.Contains(err.Error(), `kubeadm reports another version: want v1.37.2+sidecar.1, found "v1.0.0"`) {
		t.Errorf("error %v", err)
	}
	if _, err := b.Result(); err == nil || !strings.Contains(err.Error(), "hack/sidecarctl compile --variant sidecar") {
		t.Errorf("result: %v", err)
	}
}

func TestInputsFollowTheWorkingTree(t *testing.T) {
	r := tree(t)
	b := build(t, r, &bytes.Buffer{})
	inputs := func() string {
		t.Helper()
		in, err := b.Inputs(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		return in
	}
	first := inputs()
	write(t, r, "pkg/pond/new.go", "package pond\n")
	if inputs() == first {
		t.Error("a new file changes nothing")
	}
	if err := os.Remove(filepath.Join(r.Dir, "pkg/pond/new.go")); err != nil {
		t.Fatal(err)
	}
	if inputs() != first {
		t.Error("the same tree gives other inputs")
	}
	b.Lock.Distribution = "sidecar.2"
	if inputs() == first {
		t.Error("the version changes nothing")
	}
}
