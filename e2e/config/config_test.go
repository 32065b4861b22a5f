package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestFilesAreComplete(t *testing.T) {
	for _, name := range []string{"default.yaml", "impatient.yaml"} {
		if _, err := Load(name); err != nil {
			t.Error(err)
		}
	}
}

func TestUnknownAndMissingKeysAreNamed(t *testing.T) {
	whole, err := os.ReadFile("default.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ text, want string }{
		{string(whole) + "\npatience: 1m\n", "patience"},
		{strings.Replace(string(whole), "  poll: 200ms", "", 1), "intervals.poll"},
		{strings.Replace(string(whole), "200ms", "soon", 1), "soon"},
	} {
		name := filepath.Join(t.TempDir(), "settings.yaml")
		if err := os.WriteFile(name, []byte(c.text), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := Load(name); err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), name) {
			t.Errorf("got %v, want an error with %q and the file", err, c.want)
		}
	}
}
