package digest

import (
	"os"
	"path/filepath"
	"testing"
)

func TestFolderChangesWithWhatItHolds(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "run")
	seen := map[string]string{}
	for _, c := range []struct {
		what string
		do   func() error
	}{
		{"empty", func() error { return nil }},
		{"file", func() error { return os.WriteFile(file, []byte("one"), 0o644) }},
		{"content", func() error { return os.WriteFile(file, []byte("two"), 0o644) }},
		{"run bit", func() error { return os.Chmod(file, 0o755) }},
		{"link", func() error { return os.Symlink("run", filepath.Join(dir, "link")) }},
		{"name", func() error { return os.Rename(file, filepath.Join(dir, "walk")) }},
	} {
		if err := c.do(); err != nil {
			t.Fatal(err)
		}
		// Files remembers what it has hashed.
		got, err := (&Files{}).Folder(dir)
		if err != nil {
			t.Fatal(err)
		}
		if before, ok := seen[got]; ok {
			t.Errorf("%s: the same as %s", c.what, before)
		}
		seen[got] = c.what
	}
	if _, err := (&Files{}).Folder(filepath.Join(dir, "none")); err == nil {
		t.Error("no error for a folder that isn't there")
	}
}
