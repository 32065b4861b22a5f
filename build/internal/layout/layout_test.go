package layout

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestFind(t *testing.T) {
	root := t.TempDir()
	if err := os.MkdirAll(filepath.Join(root, "patches"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, "patches", "series"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	below := filepath.Join(root, "docs", "adr")
	if err := os.MkdirAll(below, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{root, below} {
		l, err := Find(dir)
		if err != nil || l.Root != root {
			t.Errorf("from %s: got %q, %v; want %s", dir, l.Root, err, root)
		}
	}
	elsewhere := t.TempDir()
	if _, err := Find(elsewhere); err == nil || !strings.Contains(err.Error(), elsewhere) {
		t.Errorf("outside of a checkout: got %v, want an error that names the folder", err)
	}
}

func TestParseVariant(t *testing.T) {
	for _, v := range []Variant{Sidecar, Stock} {
		if got, err := ParseVariant(string(v)); err != nil || got != v {
			t.Errorf("%s: got %q, %v", v, got, err)
		}
	}
	if _, err := ParseVariant("vanilla"); err == nil || !strings.Contains(err.Error(), `"vanilla"`) || !strings.Contains(err.Error(), `"stock"`) {
		t.Errorf("got %v, want what was given and what is known", err)
	}
}
