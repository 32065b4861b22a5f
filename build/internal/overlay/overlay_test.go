package overlay

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestPathsMapBothWays(t *testing.T) {
	for staging, tree := range map[string]string{
		"k8s.io/kubernetes/pkg/ducks/quack.go": "pkg/ducks/quack.go",
		"k8s.io/kubernetes/top.go":             "top.go",
		"k8s.io/api/ducks/v1/types.go":         "staging/src/k8s.io/api/ducks/v1/types.go",
		"k8s.io/api/doc.go":                    "staging/src/k8s.io/api/doc.go",
		"k8s.io/kubernetes/staging/notes.md":   "staging/notes.md",
	} {
		got, err := TreePath(staging)
		if err != nil || got != tree {
			t.Errorf("TreePath(%q) = %q, %v, want %q", staging, got, err, tree)
		}
		if got := StagingPath(tree); got != staging {
			t.Errorf("StagingPath(%q) = %q, want %q", tree, got, staging)
		}
	}
	for _, p := range []string{"k8s.io/api", "example.com/x/y.go", "k8s.io/kubernetes/staging/src/k8s.io/api/x.go"} {
		if got, err := TreePath(p); err == nil {
			t.Errorf("TreePath(%q) = %q, want an error", p, got)
		}
	}
}

func TestFilesAndCollisions(t *testing.T) {
	dir := t.TempDir()
	write := func(p string, mode os.FileMode) {
		t.Helper()
		f := filepath.Join(dir, filepath.FromSlash(p))
		if err := os.MkdirAll(filepath.Dir(f), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(f, []byte(p), mode); err != nil {
			t.Fatal(err)
		}
	}
	write("README.md", 0o644)
	write("k8s.io/kubernetes/pkg/b.go", 0o644)
	write("k8s.io/kubernetes/hack/a.sh", 0o755)
	files, err := Files(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(files) != 2 || files[0].Path != "hack/a.sh" || !files[0].Executable || files[1].Path != "pkg/b.go" || files[1].Executable {
		t.Errorf("files = %+v", files)
	}
	if err := Check(files, func(string) bool { return false }); err != nil {
		t.Errorf("no collision, but %v", err)
	}
	err = Check(files, func(p string) bool { return p == "pkg/b.go" })
	var collision *CollisionError
	if !errors.As(err, &collision) || !strings.Contains(err.Error(), "staging/k8s.io/kubernetes/pkg/b.go exists upstream as pkg/b.go") {
		t.Errorf("collision: %v", err)
	}
	if err := os.Symlink("b.go", filepath.Join(dir, "k8s.io", "kubernetes", "pkg", "c.go")); err != nil {
		t.Fatal(err)
	}
	if _, err := Files(dir); err == nil || !strings.Contains(err.Error(), "pkg/c.go") {
		t.Errorf("symlink: %v", err)
	}
}
