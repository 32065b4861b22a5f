package patchset

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const (
	oldHash = "2f9ecebfa20efba281e8cfb1104fdfcc58d5941b"
	newHash = "91b1d9476bfd2fc477f27cd417aac21c8ab12c1f"
	diff    = `diff --git a/pkg/ducks/duck.go b/pkg/ducks/duck.go
index ` + oldHash + `..` + newHash + ` 100644
--- a/pkg/ducks/duck.go
+++ b/pkg/ducks/duck.go
@@ -12,3 +12,3 @@
 func Swim(n int) int {
-	return n
+	return n + 1
 }
`
)

// folder writes a series of one patch.
func folder(t *testing.T, name, content string) string {
	t.Helper()
	dir := t.TempDir()
	for f, text := range map[string]string{SeriesFile: name + "\n", name + Suffix: content} {
		if err := os.WriteFile(filepath.Join(dir, f), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestLintAccepts(t *testing.T) {
	dir := folder(t, "0100-ducks-loud", message+"---\n"+diff)
	if err := Lint(dir); err != nil {
		t.Error(err)
	}
	patches, err := Load(dir)
	if err != nil || len(patches) != 1 || string(patches[0].Bytes()) != message+"---\n"+diff {
		t.Errorf("patches = %+v, %v", patches, err)
	}
}

func TestLintRefuses(t *testing.T) {
	for name, c := range map[string]struct{ old, new, want string }{
		"short hashes": {oldHash + ".." + newHash, "2f9ec..91b1d", "hashes of 40 digits"},
		"context":      {"@@ -12,3 +12,3 @@\n", "@@ -11,4 +11,4 @@\n // Swim.\n", "want one line of context"},
		"blanks":       {"n + 1\n", "n + 1 \n", "ends in blanks"},
		"generated":    {"ducks/duck.go", "ducks/zz_generated.deepcopy.go", "is generated"},
		"go.sum":       {"pkg/ducks/duck.go", "pkg/ducks/go.sum", "depends on"},
		"go.work":      {"pkg/ducks/duck.go", "go.work", "depends on"},
		"vendor":       {"pkg/ducks/duck.go", "vendor/ducks/duck.go", "vendored"},
		"new file":     {diff, "diff --git a/pkg/ducks/egg.go b/pkg/ducks/egg.go\nnew file mode 100644\nindex " + strings.Repeat("0", 40) + ".." + newHash + "\n--- /dev/null\n+++ b/pkg/ducks/egg.go\n@@ -0,0 +1 @@\n+package ducks\n", "staging/"},
		"rename":       {diff, "diff --git a/pkg/ducks/duck.go b/pkg/ducks/swan.go\nsimilarity index 100%\nrename from pkg/ducks/duck.go\nrename to pkg/ducks/swan.go\n", "no rename"},
		"signature":    {" }\n", " }\n-- \n2.39.5\n", "signature"},
		"other name":   {"Patch: 0100-ducks-loud", "Patch: 0100-ducks-quiet", "want the name of the file"},
	} {
		t.Run(name, func(t *testing.T) {
			good := message + "---\n" + diff
			bad := strings.ReplaceAll(good, c.old, c.new)
			if bad == good {
				t.Fatalf("%q is not in the patch", c.old)
			}
			err := Lint(folder(t, "0100-ducks-loud", bad))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want one with %q", err, c.want)
			}
		})
	}
}

func TestLintSeries(t *testing.T) {
	content := message + "---\n" + diff
	for name, c := range map[string]struct{ series, want string }{
		"not listed": {"# nothing\n", "0100-ducks-loud.patch is not listed"},
		"twice":      {"0100-ducks-loud\n0100-ducks-loud\n", "listed twice"},
		"missing":    {"0100-ducks-loud\n0200-ducks-swim\n", "lists 0200-ducks-swim"},
		"unsorted":   {"0200-ducks-swim\n0100-ducks-loud\n", "want the order of the names"},
		"suffix":     {"0100-ducks-loud.patch\n", "without .patch"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := folder(t, "0100-ducks-loud", content)
			if err := os.WriteFile(filepath.Join(dir, SeriesFile), []byte(c.series), 0o644); err != nil {
				t.Fatal(err)
			}
			if err := Lint(dir); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want one with %q", err, c.want)
			}
		})
	}
}

func TestTreeLock(t *testing.T) {
	id := func(c string) string { return strings.Repeat(c, 40) }
	l := &TreeLock{Pristine: id("a"), Patches: []PatchTree{{"0100-ducks-loud", id("b")}}, Overlay: id("c"), Generated: id("d")}
	read, err := parseTreeLock(string(l.Format()))
	if err != nil || string(read.Format()) != string(l.Format()) {
		t.Errorf("lock = %+v, %v", read, err)
	}
	applied := []Applied{{Patch: &Patch{Name: "0100-ducks-loud"}, Tree: id("b")}}
	if err := l.Check(applied, id("c")); err != nil {
		t.Error(err)
	}
	for name, err := range map[string]error{
		"patch":   l.Check([]Applied{{Patch: &Patch{Name: "0100-ducks-loud"}, Tree: id("e")}}, id("c")),
		"overlay": l.Check(applied, id("e")),
		"missing": l.Check(nil, id("c")),
		"more":    l.Check(append(applied, Applied{Patch: &Patch{Name: "0200-ducks-swim"}, Tree: id("c")}), id("c")),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if err := (&TreeLock{}).Check(applied, id("e")); err != nil {
		t.Errorf("nothing is locked, but %v", err)
	}
	for _, bad := range []string{"pristine abc\n", "what " + id("a") + "\n", "overlay " + id("a") + "\npristine " + id("b") + "\n", "<<<<<<< HEAD\n"} {
		if _, err := parseTreeLock(bad); err == nil {
			t.Errorf("%q: no error", bad)
		}
	}
}
