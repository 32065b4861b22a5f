package pipeline

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sidecar-node/build/internal/assemble"
	"sidecar-node/build/internal/git"
	"sidecar-node/build/internal/layout"
	"sidecar-node/build/internal/scratch"
	"sidecar-node/build/internal/step"
	"sidecar-node/build/internal/toyproxy"
)

// checkout is one of this repository, on an invented upstream.
type checkout struct {
	Env
	t   *testing.T
	out *bytes.Buffer
}

func newCheckout(t *testing.T) *checkout {
	t.Helper()
	toyproxy.New(t)
	l, err := assemble.Resolve(context.Background(), "v1.37.2", "sidecar.1")
	if err != nil {
		t.Fatal(err)
	}
	out := &bytes.Buffer{}
	c := &checkout{Env{Layout: layout.Layout{Root: t.TempDir()}}, t, out}
	c.Steps = &step.Runner{Stamps: c.Stamps(), Out: out}
	c.write("patches/series", "")
	c.write("patches/upstream.lock", string(l.Format()))
	return c
}

func (c *checkout) write(p, text string) {
	c.t.Helper()
	f := c.Path(filepath.FromSlash(p))
	if err := os.MkdirAll(filepath.Dir(f), 0o755); err != nil {
		c.t.Fatal(err)
	}
	if err := os.WriteFile(f, []byte(text), 0o644); err != nil {
		c.t.Fatal(err)
	}
}

func (c *checkout) tree(v layout.Variant) error {
	c.t.Helper()
	c.out.Reset()
	return Tree(context.Background(), c.Env, v)
}

func (c *checkout) git(args ...string) string {
	c.t.Helper()
	out, err := git.Repo{Dir: c.Src(layout.Sidecar)}.Run(context.Background(), args...)
	if err != nil {
		c.t.Fatal(err)
	}
	return out
}

func TestTreeIsMadeOnce(t *testing.T) {
	c := newCheckout(t)
	c.write("staging/k8s.io/pond/more.go", "package pond\n")
	if err := c.tree(layout.Sidecar); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(c.Src(layout.Sidecar), "staging/src/k8s.io/pond/more.go")); err != nil {
		t.Error(err)
	}
	head := c.git("rev-parse", "HEAD")
	if err := c.tree(layout.Sidecar); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(c.out.String(), "up to date"); n != 2 || c.git("rev-parse", "HEAD") != head {
		t.Errorf("second run:\n%s", c.out)
	}
	if err := c.tree(layout.Stock); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(c.Src(layout.Stock), "staging/src/k8s.io/pond/more.go")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the stock tree has the overlay: %v", err)
	}
	if err := c.tree("other"); err == nil {
		t.Error("an unknown variant is made")
	}
}

func TestWorkIsUsedUntilTheInputsChange(t *testing.T) {
	c := newCheckout(t)
	if err := c.tree(layout.Sidecar); err != nil {
		t.Fatal(err)
	}
	c.write("_output/sidecar/src/pkg/duck.go", "package pkg\n\n// Work.\n")
	if err := c.tree(layout.Sidecar); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(c.out.String(), "used as it is") {
		t.Errorf("output:\n%s", c.out)
	}
	// Now the overlay changes: the tree would have to be made again.
	c.write("staging/k8s.io/pond/more.go", "package pond\n")
	var work *scratch.WorkError
	if err := c.tree(layout.Sidecar); !errors.As(err, &work) {
		t.Errorf("overlay changed: %v", err)
	}
	// And another release of upstream.
	lock, err := os.ReadFile(c.Path("patches", "upstream.lock"))
	if err != nil {
		t.Fatal(err)
	}
	c.write("patches/upstream.lock", strings.Replace(string(lock), "sidecar.1", "sidecar.2", 1))
	if err := c.tree(layout.Sidecar); !errors.As(err, &work) {
		t.Errorf("lock changed: %v", err)
	}
	if got := c.git("status", "--porcelain"); got != "M pkg/duck.go" {
		t.Errorf("the work has changed: %q", got)
	}
	c.git("checkout", "-q", "--", ".")
	if err := c.tree(layout.Sidecar); err != nil {
		t.Errorf("without the work: %v", err)
	}
}

func TestUnknownKubernetesVersion(t *testing.T) {
	c := newCheckout(t)
	c.write("patches/upstream.lock", "kubernetes v1.37\ndistribution sidecar.1\n")
	err := c.tree(layout.Sidecar)
	if err == nil || !strings.Contains(err.Error(), `upstream.lock:1: unknown Kubernetes version "v1.37": want v1.<minor>.<patch>`) {
		t.Errorf("error %v", err)
	}
}
