package component

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/semver"
)

var root = filepath.Join("..", "..", "..", "images", "components")

// Every folder is a component and the other way round, and each pins the
// module that gives it its version.
func TestComponentsMatchTheirFolders(t *testing.T) {
	entries, err := os.ReadDir(root)
	if err != nil {
		t.Fatal(err)
	}
	var folders, names []string
	for _, e := range entries {
		folders = append(folders, e.Name())
	}
	b := Builder{Root: root}
	seen := map[string]string{}
	for _, c := range All() {
		names = append(names, c.Name)
		version, err := b.Version(c)
		if err != nil {
			t.Error(err)
		}
		if !semver.IsValid(version) {
			t.Errorf("%s: version %q", c.Name, version)
		}
		if _, err := os.Stat(filepath.Join(root, c.Name, "go.sum")); err != nil {
			t.Error(err)
		}
		for binary := range c.Packages {
			if seen[binary] != "" {
				t.Errorf("%s comes from %s and %s", binary, seen[binary], c.Name)
			}
			seen[binary] = c.Name
		}
	}
	if !slices.Equal(names, folders) {
		t.Errorf("components %v, folders %v", names, folders)
	}
}

func TestSelect(t *testing.T) {
	got, err := Select([]string{"runc", "cni"})
	if err != nil || len(got) != 2 || got[0].Name != "runc" || got[1].Name != "cni" {
		t.Errorf("got %v, %v", got, err)
	}
	if _, err := Select([]string{"docker"}); err == nil || !strings.Contains(err.Error(), `unknown component "docker": want one of cni, containerd,`) {
		t.Errorf("got %v", err)
	}
}

func TestDigestCoversWhatMatters(t *testing.T) {
	dir := t.TempDir()
	c := Component{Name: "x", Module: "example.test/x", Packages: map[string]string{"x": "example.test/x"}}
	write := func(name, text string) {
		t.Helper()
		file := filepath.Join(dir, "x", name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("go.mod", "module y\n\nrequire example.test/x v1.0.0\n")
	b := Builder{Root: dir}
	seen := map[string]string{}
	check := func(what string, c Component, goVersion string) {
		t.Helper()
		d, err := b.digest(c, goVersion)
		if err != nil {
			t.Fatal(err)
		}
		if seen[d] != "" {
			t.Errorf("%s does not change the digest of %s", what, seen[d])
		}
		seen[d] = what
	}
	check("the start", c, "go1.26.8 amd64")
	check("another compiler", c, "go1.26.9 amd64")
	tagged := c
	tagged.Tags = []string{"seccomp"}
	check("a tag", tagged, "go1.26.8 amd64")
	more := c
	more.Packages = map[string]string{"x": "example.test/x", "y": "example.test/x/y"}
	check("another binary", more, "go1.26.8 amd64")
	write("go.sum", "example.test/x v1.0.0 h1:x\n")
	check("go.sum", c, "go1.26.8 amd64")
	write("main.go", "package main\n")
	check("a file of ours", c, "go1.26.8 amd64")
}

func TestVersionNeedsTheModule(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "x"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "x", "go.mod"), []byte("module y\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	b := Builder{Root: dir}
	if _, err := b.Version(Component{Name: "x", Module: "example.test/x"}); err == nil || !strings.Contains(err.Error(), "no requirement of example.test/x") {
		t.Errorf("got %v", err)
	}
}
