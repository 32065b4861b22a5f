package replace

import (
	"os"
	"path/filepath"
	"testing"
)

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestFile(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "a", "b")
	for _, text := range []string{"one", "two"} {
		if err := File(file, []byte(text)); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(file); err != nil || string(got) != text {
			t.Errorf("file = %q, %v", got, err)
		}
	}
	if left, _ := os.ReadDir(filepath.Dir(file)); len(left) != 1 {
		t.Errorf("left behind: %v", left)
	}
}

func TestDir(t *testing.T) {
	root := t.TempDir()
	dir, next := filepath.Join(root, "d"), filepath.Join(root, "n")
	for _, text := range []string{"one", "two"} {
		write(t, filepath.Join(next, text), text)
		if err := Dir(dir, next); err != nil {
			t.Fatal(err)
		}
		files, err := os.ReadDir(dir)
		if err != nil || len(files) != 1 || files[0].Name() != text {
			t.Errorf("dir holds %v, %v", files, err)
		}
	}
	// What cannot be moved leaves the old folder where it is.
	if err := Dir(dir, filepath.Join(root, "nowhere")); err == nil {
		t.Error("no error")
	}
	if _, err := os.Stat(filepath.Join(dir, "two")); err != nil {
		t.Errorf("the old folder is lost: %v", err)
	}
}
