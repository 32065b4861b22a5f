package verify

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"

	"sidecar-node/build/internal/git"
)

var ownFiles = Check{
	Name:      "own files",
	What:      "no file is one of upstream's",
	Mend:      "git rm <file>: everything of upstream comes from modules",
	NeedsTree: true,
	Run: func(ctx context.Context, r *Repository) error {
		repo, commit, err := pristine(ctx, r)
		if err != nil {
			return err
		}
		entries, err := repo.Entries(ctx, commit)
		if err != nil {
			return err
		}
		return sameBlobs(r.Files, entries)
	},
}

func sameBlobs(files []File, upstream map[string]git.Entry) error {
	theirs := map[string]string{}
	for name, e := range upstream {
		theirs[e.ID] = name
	}
	var wrong []string
	for _, f := range files {
		// The text of a licence is the same everywhere, and so is nothing.
		if f.Path == "LICENSE" || len(bytes.TrimSpace(f.Data)) == 0 {
			continue
		}
		if name, ok := theirs[f.blobID()]; ok {
			wrong = append(wrong, fmt.Sprintf("%s is upstream's %s", f.Path, name))
		}
	}
	return problems(wrong)
}

// maxSharedLines is the longest run of lines that a file of ours may have in
// common with somebody else's. Lines are compared without blanks at their ends
// and with single blanks inside; empty lines and lines without a letter don't
// count, and neither do licence headers, package clauses, imports and the
// lines that every object of the API has in YAML. When the limit was chosen,
// the longest run that chance had produced between our files and the whole
// Kubernetes tree was four lines.
const maxSharedLines = 6

var ownLines = Check{
	Name:      "own words",
	What:      fmt.Sprintf("no file shares more than %d lines in a row with Kubernetes or a module that we require", maxSharedLines),
	Mend:      "write it in your own words, or call the other code where it is",
	NeedsTree: true,
	Run: func(ctx context.Context, r *Repository) error {
		repo, commit, err := pristine(ctx, r)
		if err != nil {
			return err
		}
		index := newLineIndex(maxSharedLines + 1)
		for _, f := range r.Files {
			if f.text() && !listed(f.Path) {
				index.add(f)
			}
		}
		if err := eachFile(ctx, repo, commit, index.look); err != nil {
			return err
		}
		dirs, err := requiredModules(ctx, r)
		if err != nil {
			return err
		}
		for _, dir := range dirs {
			if err := eachFileBelow(dir, index.look); err != nil {
				return err
			}
		}
		return problems(index.found)
	},
}

// listed reports whether a file is a licence or a list of modules, which is
// the same wherever the same modules are used.
func listed(name string) bool {
	switch path.Base(name) {
	case "LICENSE", "go.mod", "go.sum", "upstream.lock":
		return true
	}
	return false
}

// requiredModules returns the folders in the module cache of the modules that
// a go.mod of ours requires directly, without those of Kubernetes, which the
// assembled tree holds. Modules that haven't been fetched are left out.
func requiredModules(ctx context.Context, r *Repository) ([]string, error) {
	out, err := exec.CommandContext(ctx, "go", "env", "GOMODCACHE").Output()
	if err != nil {
		return nil, fmt.Errorf("go env GOMODCACHE: %w", err)
	}
	cache := strings.TrimSpace(string(out))
	seen := map[string]bool{}
	var dirs []string
	for _, f := range r.Files {
		if path.Base(f.Path) != "go.mod" {
			continue
		}
		m, err := modfile.Parse(f.Path, f.Data, nil)
		if err != nil {
			return nil, err
		}
		for _, q := range m.Require {
			if q.Indirect && !tools(m, q.Mod.Path) || strings.HasPrefix(q.Mod.Path, "k8s.io/") {
				continue
			}
			escaped, err := module.EscapePath(q.Mod.Path)
			if err != nil {
				return nil, err
			}
			dir := filepath.Join(cache, filepath.FromSlash(escaped)+"@"+q.Mod.Version)
			if _, err := os.Stat(dir); err == nil && !seen[dir] {
				seen[dir] = true
				dirs = append(dirs, dir)
			}
		}
	}
	return dirs, nil
}

// tools reports whether a module of that path holds a tool of m; go get -tool
// marks it as indirect.
func tools(m *modfile.File, modulePath string) bool {
	for _, t := range m.Tool {
		if t.Path == modulePath || strings.HasPrefix(t.Path, modulePath+"/") {
			return true
		}
	}
	return false
}

// eachFileBelow hands every file below dir to look.
func eachFileBelow(dir string, look func(name string, data []byte)) error {
	return filepath.WalkDir(dir, func(name string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(filepath.Dir(dir), name)
		look(rel, data)
		return err
	})
}

// eachFile hands every file of a commit to look.
func eachFile(ctx context.Context, repo git.Repo, commit string, look func(name string, data []byte)) error {
	cmd := exec.CommandContext(ctx, "git", "-C", repo.Dir, "archive", "--format=tar", commit)
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		return err
	}
	archive := tar.NewReader(out)
	for {
		h, err := archive.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return errors.Join(err, cmd.Wait())
		}
		if h.Typeflag != tar.TypeReg {
			continue
		}
		data, err := io.ReadAll(archive)
		if err != nil {
			return errors.Join(err, cmd.Wait())
		}
		look(h.Name, data)
	}
	if err := cmd.Wait(); err != nil {
		return fmt.Errorf("git archive: %w: %s", err, stderr.String())
	}
	return nil
}

// lineIndex finds runs of lines that are in our files and elsewhere.
type lineIndex struct {
	run     int
	seed    maphash.Seed
	windows map[uint64]place
	// found describes each file of ours that shares a run, once.
	found []string
	named map[string]bool
}

type place struct {
	file string
	line int
}

func newLineIndex(run int) *lineIndex {
	return &lineIndex{run: run, seed: maphash.MakeSeed(), windows: map[uint64]place{}, named: map[string]bool{}}
}

// add takes in a file of ours. Of a patch only the added lines are ours.
func (x *lineIndex) add(f File) {
	data := f.Data
	if path.Ext(f.Path) == ".patch" {
		data = addedLines(data)
	}
	x.each(data, func(window uint64, line int) {
		if _, ok := x.windows[window]; !ok {
			x.windows[window] = place{f.Path, line}
		}
	})
}

// look compares a file of somebody else with ours.
func (x *lineIndex) look(name string, data []byte) {
	x.each(data, func(window uint64, line int) {
		p, ok := x.windows[window]
		if !ok || x.named[p.file] {
			return
		}
		x.named[p.file] = true
		x.found = append(x.found, fmt.Sprintf("%s: %d lines from line %d on are those of %s from line %d on", p.file, x.run, p.line, name, line))
	})
}

// each calls do for every run of lines that count, with the number of its
// first line.
func (x *lineIndex) each(data []byte, do func(window uint64, line int)) {
	if bytes.IndexByte(data[:min(len(data), 8000)], 0) >= 0 {
		return
	}
	var hashes []uint64
	var numbers []int
	inImports := false
	for i, raw := range bytes.Split(data, []byte("\n")) {
		line := bytes.Join(bytes.Fields(raw), []byte(" "))
		switch {
		case inImports:
			inImports = !bytes.Equal(line, []byte(")"))
			continue
		case bytes.Equal(line, []byte("import (")):
			inImports = true
			continue
		case !counts(line):
			continue
		}
		hashes = append(hashes, maphash.Bytes(x.seed, line))
		numbers = append(numbers, i+1)
	}
	var h maphash.Hash
	h.SetSeed(x.seed)
	for i := 0; i+x.run <= len(hashes); i++ {
		h.Reset()
		for _, v := range hashes[i : i+x.run] {
			var b [8]byte
			for j := range b {
				b[j] = byte(v >> (8 * j))
			}
			h.Write(b[:])
		}
		do(h.Sum64(), numbers[i])
	}
}

// licenceLine starts a line of the header that every file of upstream has.
var licenceLines = []string{
	"Copyright ", "Licensed under the Apache License", "you may not use this file except", "You may obtain a copy of the License",
	"http://www.apache.org/licenses/", "Unless required by applicable law", "distributed under the License is distributed",
	"WITHOUT WARRANTIES OR CONDITIONS", "See the License for the specific language", "limitations under the License.",
}

// form is a line that every object of the Kubernetes API has in YAML.
var form = regexp.MustCompile(`^(apiVersion: \S+|kind: \S+|metadata:|spec:|template:|rules:|containers:|- name: \S+|name: \S+)$`)

// counts reports whether a line says something of its own.
func counts(line []byte) bool {
	if form.Match(line) || !bytes.ContainsFunc(line, func(c rune) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c > 127 }) {
		return false
	}
	text := strings.TrimLeft(string(line), "/*# ")
	if strings.HasPrefix(text, "package ") || strings.HasPrefix(text, "import ") {
		return false
	}
	for _, l := range licenceLines {
		if strings.HasPrefix(text, l) {
			return false
		}
	}
	return true
}

// addedLines returns what a patch adds, and an impossible line between hunks.
func addedLines(patch []byte) []byte {
	var b bytes.Buffer
	for line := range bytes.Lines(patch) {
		switch {
		case bytes.HasPrefix(line, []byte("+++ ")) || bytes.HasPrefix(line, []byte("@@ ")):
			b.WriteString("hunk \x01\n")
		case bytes.HasPrefix(line, []byte("+")):
			b.Write(line[1:])
		}
	}
	return b.Bytes()
}
