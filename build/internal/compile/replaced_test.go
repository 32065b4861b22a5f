package compile

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestReplacedFilesAreCompiledAndTheTreeIsLeftAlone(t *testing.T) {
	ctx := context.Background()
	b := build(t, tree(t), &bytes.Buffer{})
	const file = "staging/src/k8s.io/component-base/version/version.go"
	path := filepath.Join(b.Tree.Dir, file)
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "mutant")
	changed := bytes.Replace(before, []byte("return gitVersion"), []byte(`return "changed " + gitVersion`), 1)
	if err := b.Replaced(ctx, "kubelet", map[string][]byte{file: changed}, dir); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(filepath.Join(dir, "kubelet")).Output()
	if err != nil {
		t.Fatal(err)
	}
	if text := string(out); !strings.HasPrefix(text, "changed v1.37.2+sidecar.1 ") || !strings.Contains(text, " dirty ") {
		t.Errorf("the binary says %q", text)
	}
	if after, err := os.ReadFile(path); err != nil || !bytes.Equal(before, after) {
		t.Errorf("the tree has changed: %v", err)
	}
	err = b.Replaced(ctx, "kubelet", map[string][]byte{file: []byte("package version\n\nconst All = nowhere\n")}, dir)
	if err == nil || !strings.Contains(err.Error(), "undefined: nowhere") {
		t.Errorf("error %v", err)
	}
}
