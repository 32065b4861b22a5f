package verify

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"sidecar-node/build/internal/git"
	"sidecar-node/build/internal/layout"
	"sidecar-node/build/internal/pipeline"
)

// repository holds the given files in memory.
func repository(files map[string]string) *Repository {
	r := &Repository{}
	for name, data := range files {
		r.Files = append(r.Files, File{Path: name, Data: []byte(data)})
	}
	return r
}

// expect runs a check and compares what it names with want; no want means that
// it must pass.
func expect(t *testing.T, c Check, r *Repository, want ...string) {
	t.Helper()
	err := c.Run(context.Background(), r)
	if len(want) == 0 {
		if err != nil {
			t.Errorf("%s: %v", c.Name, err)
		}
		return
	}
	if err == nil {
		t.Errorf("%s passed, want it to name %q", c.Name, want)
		return
	}
	for _, w := range want {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("%s: no %q in\n%v", c.Name, w, err)
		}
	}
}

func TestFormat(t *testing.T) {
	expect(t, goFormat, repository(map[string]string{"a.go": "package a\n", "testdata/b.go": "x"}))
	expect(t, goFormat, repository(map[string]string{"a.go": "package  a\n", "b.go": "package b\nfunc {\n"}), "a.go: not formatted", "b.go: ")
}

func TestShell(t *testing.T) {
	expect(t, shell, repository(map[string]string{"hack/a": "#!/usr/bin/env bash\ntrue\n", "b.txt": "if"}))
	expect(t, shell, repository(map[string]string{
		"hack/broken":   "#!/bin/sh\nif true\n",
		"hack/long.sh":  strings.Repeat("true\n", maxShellLines+1),
		"images/x/long": "#!/bin/bash\n" + strings.Repeat("true\n", maxShellLines+1),
	}), "hack/broken: ", "hack/long.sh: 61 lines, want at most 60")
	expect(t, shell, repository(map[string]string{"images/x/long": "#!/bin/bash\n" + strings.Repeat("true\n", maxShellLines+1)}))
}

func TestNames(t *testing.T) {
	expect(t, names, repository(map[string]string{"a.md": "GOPROXY and /etc/apt, ./_output/home/x, https://example.org/home/x"}))
	for _, bad := range []string{
		"cd /work/" + "main", "see (/root/" + "x)", "https://proxy.golang" + ".org", "http://deb.debian" + ".org/debian",
		"registry.npmjs" + ".org", "registry.k8s" + ".io/pause",
	} {
		expect(t, names, repository(map[string]string{"a": "\n" + bad + "\n"}), "a:2: ")
	}
}

func TestLinks(t *testing.T) {
	good := map[string]string{
		"README.md": "[a](docs/a.md), [h](docs/a.md#second-heading-it-is), [web](https://example.org), [here](#top)\n# Top\n```\n[not](a-link)\n```\n",
		"docs/a.md": "# First\n\n## Second heading, it is!\n[up](../README.md) [dir](../docs)\n",
	}
	expect(t, links, repository(good))
	good["docs/b.md"] = "[a](c.md) [b](a.md#third)"
	expect(t, links, repository(good), "no such file docs/c.md", "a.md#third: no such heading")
}

func TestTargets(t *testing.T) {
	const makefile = ".DEFAULT_GOAL := help\nRUN := x\nhelp: ## list\n\t@x\ntest: help ## test\n\t@x\n"
	expect(t, targets, repository(map[string]string{"Makefile": makefile, "a.md": "Run `make test`, make sure it passes:\n\n    make help\n"}))
	expect(t, targets, repository(map[string]string{"Makefile": makefile + "bare:\n\t@x\n", "a.md": "`make help tests`\n$ make all\n"}),
		"Makefile: bare has no help", "a.md: make tests", "a.md: make all")
}

func TestLicence(t *testing.T) {
	text, err := os.ReadFile("../../../LICENSE")
	if err != nil {
		t.Fatal(err)
	}
	expect(t, licence, repository(map[string]string{"LICENSE": string(text), "NOTICE": "x", "staging/a.go": header + "\npackage a\n", "b.go": ""}))
	expect(t, licence, repository(map[string]string{"LICENSE": string(text) + "\n", "staging/a.go": "package a\n"}), "LICENSE: sha256", "NOTICE: missing", "staging/a.go: no licence header")
}

func TestSameBlobs(t *testing.T) {
	ours := File{Path: "ours", Data: []byte("hello\n")}
	const hello = "ce013625030ba8dba906f756967f9e9ca394464a" // git hash-object
	if ours.blobID() != hello {
		t.Fatalf("id of hello: got %s, want %s", ours.blobID(), hello)
	}
	upstream := map[string]git.Entry{"theirs": {Mode: "100644", ID: hello}}
	if err := sameBlobs([]File{ours}, upstream); err == nil || !strings.Contains(err.Error(), "ours is upstream's theirs") {
		t.Errorf("got %v, want both names", err)
	}
	if err := sameBlobs([]File{{Path: "ours", Data: []byte("hallo\n")}, {Path: "empty"}}, upstream); err != nil {
		t.Error(err)
	}
}

func numbered(from, to int) string {
	var b strings.Builder
	for i := from; i < to; i++ {
		b.WriteString("the line is " + strings.Repeat("i", i+1) + "\n")
	}
	return b.String()
}

func TestSharedRuns(t *testing.T) {
	const run = 4
	theirs := []byte("apiVersion: v1\nkind: Pod\nmetadata:\nspec:\n/*\nCopyright 2020 Somebody\n*/\npackage p\n\nimport (\n\t\"fmt\"\n)\n\n" + numbered(0, 10))
	for name, c := range map[string]struct {
		file  File
		found bool
	}{
		"short run":         {File{Path: "a.go", Data: []byte(numbered(3, 6) + "other\n")}, false},
		"long run":          {File{Path: "a.go", Data: []byte("x\n" + numbered(3, 7))}, true},
		"other blanks":      {File{Path: "a.go", Data: []byte("\n\n" + strings.ReplaceAll(numbered(3, 7), "line is", "line  is \n}\n"))}, false},
		"indented, spaced":  {File{Path: "a.go", Data: []byte(strings.ReplaceAll(numbered(3, 7), "the line", "\n\t\tthe   line"))}, true},
		"form of an object": {File{Path: "a.yaml", Data: []byte("apiVersion: v1\nkind: Pod\nmetadata:\nspec:\n")}, false},
		"headers only":      {File{Path: "a.go", Data: []byte("// Copyright 2020 Somebody\npackage p\nimport (\n\t\"fmt\"\n\t\"x\"\n)\n}\n}\n}\n")}, false},
		"added by a patch":  {File{Path: "a.patch", Data: []byte("@@ -1 +1 @@\n+" + strings.ReplaceAll(strings.TrimSpace(numbered(3, 7)), "\n", "\n+"))}, true},
		"patch context":     {File{Path: "a.patch", Data: []byte("@@ -1 +1 @@\n " + strings.ReplaceAll(strings.TrimSpace(numbered(3, 7)), "\n", "\n "))}, false},
		"over two hunks":    {File{Path: "a.patch", Data: []byte("@@ -1 +1 @@\n+" + strings.ReplaceAll(numbered(3, 5), "\n", "\n+") + "\n@@ -9 +9 @@\n+" + strings.ReplaceAll(strings.TrimSpace(numbered(5, 7)), "\n", "\n+"))}, false},
	} {
		x := newLineIndex(run)
		x.add(c.file)
		x.look("theirs.go", theirs)
		if got := len(x.found) > 0; got != c.found {
			t.Errorf("%s: found %q, want found %v", name, x.found, c.found)
		}
	}
}

func TestRequiredModules(t *testing.T) {
	cache := t.TempDir()
	t.Setenv("GOMODCACHE", cache)
	for _, dir := range []string{"example.org/!upper@v1.0.0", "example.org/tool@v1.0.0", "example.org/indirect@v1.0.0", "k8s.io/api@v0.1.0"} {
		if err := os.MkdirAll(filepath.Join(cache, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	dirs, err := requiredModules(context.Background(), repository(map[string]string{"go.mod": `module x

require (
	example.org/Upper v1.0.0
	example.org/tool v1.0.0 // indirect
	example.org/indirect v1.0.0 // indirect
	example.org/absent v1.0.0
	k8s.io/api v0.1.0
)

tool example.org/tool/cmd/x
`}))
	want := filepath.Join(cache, "example.org/!upper@v1.0.0") + " " + filepath.Join(cache, "example.org/tool@v1.0.0")
	if got := strings.Join(dirs, " "); err != nil || got != want {
		t.Errorf("got %s, %v; want %s", got, err, want)
	}
}

func TestOpenReadsWhatGitWouldCommit(t *testing.T) {
	root := t.TempDir()
	for name, data := range map[string]string{".gitignore": "/_output/\n", "tracked": "1", "new": "2", "_output/x": "3", "gone": "4"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(root, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, name), []byte(data), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "tracked", "gone"}} {
		if out, err := exec.Command("git", append([]string{"-C", root}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	if err := os.Remove(filepath.Join(root, "gone")); err != nil {
		t.Fatal(err)
	}
	r, err := Open(context.Background(), pipeline.Env{Layout: layout.Layout{Root: root}})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{"tracked": true, "new": true, "_output/x": false, "gone": false} {
		if got := r.has(name); got != want {
			t.Errorf("%s: listed %v, want %v", name, got, want)
		}
	}
}

func TestRunGoesOnAfterAFailure(t *testing.T) {
	var out bytes.Buffer
	results := Run(context.Background(), repository(nil), []Check{
		{Name: "bad", What: "it fails", Mend: "make it right", Run: func(context.Context, *Repository) error { return errors.New("because") }},
		{Name: "good", What: "it passes", Run: func(context.Context, *Repository) error { return nil }},
	}, &out)
	if len(results) != 2 || results[0].Err == nil || results[1].Err != nil {
		t.Fatalf("got %+v", results)
	}
	for _, want := range []string{"FAIL  bad", "because", "to mend: make it right", "ok    good"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
}

func TestEveryCheckIsComplete(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range All() {
		if c.Name == "" || c.What == "" || c.Mend == "" || c.Run == nil || seen[c.Name] {
			t.Errorf("check %q lacks something or is listed twice", c.Name)
		}
		seen[c.Name] = true
	}
}
