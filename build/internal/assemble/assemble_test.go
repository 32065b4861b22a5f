package assemble

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sidecar-node/build/internal/git"
	"sidecar-node/build/internal/lock"
	"sidecar-node/build/internal/toyproxy"
)

func resolve(t *testing.T) *lock.Lock {
	t.Helper()
	l, err := Resolve(context.Background(), "v1.37.2", "sidecar.1")
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestResolveAndAssemble(t *testing.T) {
	toyproxy.New(t)
	l := resolve(t)
	if len(l.Modules) != 2 || len(l.Drop) != 1 || l.Drop[0] != "k8s.io/sample-controller" || l.Date.Year() != 2026 {
		t.Fatalf("lock = %s", l.Format())
	}
	dest := filepath.Join(t.TempDir(), "sidecar", "src")
	if err := Tree(context.Background(), l, dest, ""); err != nil {
		t.Fatal(err)
	}
	for f, want := range map[string]string{
		"go.work":                         "go 1.26\n\nuse (\n\t.\n\t./staging/src/k8s.io/pond\n)\n",
		"go.mod":                          "module k8s.io/kubernetes\n\ngo 1.26\n\nrequire k8s.io/pond v0.0.0\n",
		"staging/src/k8s.io/pond/pond.go": "package pond\n",
		"ignored.log":                     "upstream has it\n",
		"crlf.txt":                        "one\r\ntwo\r\n",
	} {
		got, err := os.ReadFile(filepath.Join(dest, f))
		if err != nil || string(got) != want {
			t.Errorf("%s = %q, %v, want %q", f, got, err, want)
		}
	}
	r := git.Repo{Dir: dest}
	entries, err := r.Entries(context.Background(), PristineRef)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range []string{"ignored.log", "crlf.txt", "staging/src/k8s.io/pond/go.mod"} {
		if entries[f].ID == "" {
			t.Errorf("%s is not committed", f)
		}
	}
	if blob, err := r.Blob(context.Background(), entries["crlf.txt"].ID); err != nil || string(blob) != "one\r\ntwo\r\n" {
		t.Errorf("committed crlf.txt = %q, %v", blob, err)
	}
	tree, err := r.Tree(context.Background(), PristineRef)
	if err != nil {
		t.Fatal(err)
	}
	head, err := r.Resolve(context.Background(), "HEAD")
	if err != nil {
		t.Fatal(err)
	}

	// The same lock gives the same commit, and the tree is compared.
	again := filepath.Join(t.TempDir(), "src")
	if err := Tree(context.Background(), l, again, tree); err != nil {
		t.Fatal(err)
	}
	if id, err := (git.Repo{Dir: again}).Resolve(context.Background(), "HEAD"); err != nil || id != head {
		t.Errorf("second commit %s, %v, want %s", id, err, head)
	}
	other := filepath.Join(t.TempDir(), "src")
	err = Tree(context.Background(), l, other, strings.Repeat("1", 40))
	if err == nil || !strings.Contains(err.Error(), "want "+strings.Repeat("1", 40)+", found "+tree) {
		t.Errorf("wrong tree: %v", err)
	}
	if left, _ := filepath.Glob(other + "*"); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	if err := Tree(context.Background(), l, dest, ""); err == nil {
		t.Error("an existing tree is overwritten")
	}
}

func TestAssembleErrors(t *testing.T) {
	toyproxy.New(t)
	good := resolve(t)
	for name, c := range map[string]struct {
		change func(l *lock.Lock)
		want   []string
	}{
		"hash of the files": {
			func(l *lock.Lock) { l.Modules[1].Sum = "h1:other=" },
			[]string{"module k8s.io/pond@v0.37.2", "want h1:other=, found " + good.Modules[1].Sum, "hack/sidecarctl lock v1.37.2"},
		},
		"hash of go.mod": {
			func(l *lock.Lock) { l.Modules[1].GoModSum = "h1:other=" },
			[]string{"go.mod", "want h1:other=, found " + good.Modules[1].GoModSum},
		},
		"unknown version": {
			func(l *lock.Lock) { l.Modules[1].Version = "v0.99.0" },
			[]string{"unknown version", "k8s.io/pond@v0.99.0", "go list -m -versions k8s.io/pond"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			l := *good
			l.Modules = append([]lock.Module{}, good.Modules...)
			c.change(&l)
			dest := filepath.Join(t.TempDir(), "src")
			err := Tree(context.Background(), &l, dest, "")
			if err == nil {
				t.Fatal("no error")
			}
			for _, w := range c.want {
				if !strings.Contains(err.Error(), w) {
					t.Errorf("error does not say %q: %v", w, err)
				}
			}
			if left, _ := filepath.Glob(dest + "*"); len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
	if _, err := Resolve(context.Background(), "1.37", "sidecar.1"); err == nil || !strings.Contains(err.Error(), `unknown Kubernetes version "1.37"`) {
		t.Errorf("bad version: %v", err)
	}
}

func TestAssembleWithoutNetwork(t *testing.T) {
	toyproxy.New(t)
	l := resolve(t)
	t.Setenv("GOPROXY", "off")
	// What is in the cache needs no network.
	if err := Tree(context.Background(), l, filepath.Join(t.TempDir(), "src"), ""); err != nil {
		t.Errorf("cached: %v", err)
	}
	l.Modules[1].Version = "v0.37.3"
	err := Tree(context.Background(), l, filepath.Join(t.TempDir(), "src"), "")
	if err == nil || !strings.Contains(err.Error(), "k8s.io/pond@v0.37.3 is not in the module cache and cannot be fetched") {
		t.Errorf("not cached: %v", err)
	}
	// An address at which nothing answers.
	t.Setenv("GOPROXY", "http://127.0.0.1:1")
	err = Tree(context.Background(), l, filepath.Join(t.TempDir(), "src"), "")
	if err == nil || !strings.Contains(err.Error(), "connect to the network") {
		t.Errorf("no answer: %v", err)
	}
}
