package scratch

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"sidecar-node/build/internal/git"
)

// toy is a scratch repository of an invented upstream, with empty patches/ and
// staging/ beside it.
type toy struct {
	*Scratch
	t   *testing.T
	out *bytes.Buffer
}

// pond is the invented upstream.
var pond = map[string]string{
	"go.mod":                       "module example.com/pond\n",
	"pkg/ducks/duck.go":            "package ducks\n\n// Legs of a duck.\nconst Legs = 2\n\n// Sound it makes.\nfunc Sound() string {\n\treturn \"quack\"\n}\n\n// Swim moves it.\nfunc Swim(n int) int {\n\treturn n\n}\n",
	"pkg/ducks/zz_generated.go":    "package ducks\n\nconst copies = 1\n",
	"pkg/frogs/frog.go":            "package frogs\n\nconst Legs = 4\n",
	"pkg/frogs/old.go":             "package frogs\n\nconst Tail = true\n",
	"staging/src/k8s.io/reed/a.go": "package reed\n",
	"crlf.txt":                     "one\r\ntwo\r\n",
	"hack/run.sh":                  "#!/bin/sh\n",
}

func newToy(t *testing.T) *toy {
	t.Helper()
	root := t.TempDir()
	t.Setenv("HOME", filepath.Join(root, "home"))
	out := &bytes.Buffer{}
	s := &toy{&Scratch{
		Repo:    git.Repo{Dir: filepath.Join(root, "src")},
		Patches: filepath.Join(root, "patches"),
		Staging: filepath.Join(root, "staging"),
		Out:     out,
	}, t, out}
	for _, d := range []string{s.Repo.Dir, s.Patches, s.Staging, filepath.Join(root, "home")} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for p, text := range pond {
		s.write(p, text)
	}
	s.git("init", "-q", "--template=")
	if err := os.MkdirAll(filepath.Join(s.Repo.Dir, ".git", "info"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(s.Repo.Dir, ".git", "info", "attributes"), []byte("* -text\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	s.git("add", "-A", ".")
	s.git("commit", "-q", "-m", "pristine")
	s.git("update-ref", PristineRef, "HEAD")
	s.put(filepath.Join(s.Patches, "series"), "")
	s.put(filepath.Join(s.Patches, "upstream.lock"), "kept\n")
	return s
}

func (s *toy) put(file, text string) {
	s.t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		s.t.Fatal(err)
	}
}

// write writes a file of the tree.
func (s *toy) write(p, text string) {
	s.t.Helper()
	s.put(filepath.Join(s.Repo.Dir, filepath.FromSlash(p)), text)
}

// edit replaces text in a file of the tree.
func (s *toy) edit(p, old, new string) {
	s.t.Helper()
	data := s.read(filepath.Join(s.Repo.Dir, p))
	if !strings.Contains(data, old) {
		s.t.Fatalf("%s does not contain %q", p, old)
	}
	s.write(p, strings.Replace(data, old, new, 1))
}

func (s *toy) read(file string) string {
	s.t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		s.t.Fatal(err)
	}
	return string(data)
}

// git runs git as the tool does.
func (s *toy) git(args ...string) string {
	s.t.Helper()
	out, err := s.Repo.Run(context.Background(), args...)
	if err != nil {
		s.t.Fatal(err)
	}
	return out
}

// developer runs git as a developer does, with whatever configuration there is.
func (s *toy) developer(args ...string) {
	s.t.Helper()
	cmd := exec.Command("git", append([]string{"-C", s.Repo.Dir, "-c", "user.name=Dev", "-c", "user.email=dev@example.com"}, args...)...)
	if out, err := cmd.CombinedOutput(); err != nil {
		s.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

// commit commits everything in the working tree.
func (s *toy) commit(message string) {
	s.t.Helper()
	s.developer("add", "-A", ".")
	s.developer("commit", "-q", "--no-gpg-sign", "-m", message)
}

// header returns a complete commit message.
func header(subject, name string) string {
	return subject + "\n\nThe pond needs it.\n\nClass: carry\nGate: Pond\nUpstream: none\nDiffers: nothing\nDrop-When: never\nTouches-Generated: no\nTests: pkg/ducks\nPatch: " + name
}

func (s *toy) apply() {
	s.t.Helper()
	if err := s.Apply(context.Background(), false); err != nil {
		s.t.Fatal(err)
	}
}

func (s *toy) export() {
	s.t.Helper()
	if err := s.Export(context.Background(), Source{}); err != nil {
		s.t.Fatal(err)
	}
	s.apply()
}

// series makes, exports and applies a series of two patches and an overlay.
func (s *toy) series() {
	s.t.Helper()
	s.apply()
	s.edit("pkg/ducks/duck.go", "quack", "QUACK")
	s.commit(header("ducks: be louder", "0100-ducks-loud"))
	s.edit("pkg/ducks/duck.go", "return n\n", "return n + extra()\n")
	s.edit("pkg/frogs/frog.go", "4", "6")
	s.write("pkg/ducks/extra.go", "package ducks\n\nfunc extra() int { return 1 }\n")
	s.write("staging/src/k8s.io/reed/b.go", "package reed\n")
	s.commit(header("ducks: swim further", "0200-ducks-swim"))
	s.export()
}

// snapshot returns patches/ and staging/ as text.
func (s *toy) snapshot() map[string]string {
	s.t.Helper()
	all := map[string]string{}
	for _, d := range []string{s.Patches, s.Staging} {
		files, err := contents(d)
		if err != nil {
			s.t.Fatal(err)
		}
		for p, v := range files {
			all[filepath.Base(d)+"/"+p] = v
		}
	}
	return all
}

func (s *toy) same(before map[string]string) {
	s.t.Helper()
	after := s.snapshot()
	for p, v := range before {
		if after[p] != v {
			s.t.Errorf("%s changed:\n%s\nto\n%s", p, v, after[p])
		}
	}
	for p := range after {
		if _, ok := before[p]; !ok {
			s.t.Errorf("%s is new", p)
		}
	}
}
