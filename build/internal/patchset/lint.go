package patchset

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/bluekeyes/go-gitdiff/gitdiff"

	"sidecar-node/build/internal/generated"
)

// Lint checks the form of the series in the folder dir, without applying it.
// The error lists everything that is wrong.
func Lint(dir string) error {
	s, err := ReadSeries(dir)
	if err != nil {
		return err
	}
	var errs []error
	for i, n := range s.Names {
		if i > 0 && s.Names[i-1] == n {
			errs = append(errs, fmt.Errorf("patches/series: %s is listed twice", n))
		} else if i > 0 && s.Names[i-1] > n {
			errs = append(errs, fmt.Errorf("patches/series: %s stands below %s: want the order of the names", n, s.Names[i-1]))
		}
		p, err := Read(dir, n)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		errs = append(errs, p.Lint())
	}
	files, err := os.ReadDir(dir)
	if err != nil {
		return errors.Join(append(errs, err)...)
	}
	for _, f := range files {
		name, ok := strings.CutSuffix(f.Name(), Suffix)
		if ok && !slices.Contains(s.Names, name) {
			errs = append(errs, fmt.Errorf("%s is not listed in patches/series", filepath.Join("patches", f.Name())))
		}
	}
	return errors.Join(errs...)
}

// Lint checks the form of one patch. The error lists everything that is wrong.
func (p *Patch) Lint() error {
	var errs []error
	fail := func(format string, args ...any) {
		errs = append(errs, fmt.Errorf("patch %s: "+format, append([]any{p.Name}, args...)...))
	}
	h, err := ParseHeader(p.Message)
	if err != nil {
		fail("%w", err)
	}
	if n := h.Name(); n != p.Name {
		fail("its trailer says Patch: %s: want the name of the file", n)
	}
	if !bytes.HasPrefix(p.Diff, []byte("diff --git ")) || bytes.Contains(p.Diff, []byte("\n-- \n")) {
		fail("want a plain diff without a signature of git")
	}
	seen := ""
	for _, f := range p.Files {
		name := filePath(f)
		if name <= seen {
			fail("%s: want each file once, sorted by path", name)
		}
		seen = name
		for _, problem := range lintFile(name, f) {
			fail("%s: %s", name, problem)
		}
	}
	return errors.Join(errs...)
}

var fullHash = regexp.MustCompile(`^[0-9a-f]{40}$`)

// dependencyFiles say which modules the tree is built from. Patches leave them
// alone: a dependency that changes is a matter of the lock.
var dependencyFiles = []string{"go.mod", "go.sum", "go.work", "go.work.sum"}

func lintFile(name string, f *gitdiff.File) []string {
	var problems []string
	add := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }
	if f.IsRename || f.IsCopy {
		add("want no rename or copy")
	}
	if f.IsNew {
		add("the file is new: new files belong in staging/")
	}
	if f.IsBinary {
		add("the file is binary")
	}
	if generated.Is(name) {
		add("the file is generated: leave it out, it is made again after the series")
	}
	if slices.Contains(dependencyFiles, path.Base(name)) {
		add("no patch may change what the tree depends on")
	}
	if slices.Contains(strings.Split(name, "/"), "vendor") {
		add("no patch may change vendored code")
	}
	if len(f.TextFragments) > 0 && (!fullHash.MatchString(f.OldOIDPrefix) || !fullHash.MatchString(f.NewOIDPrefix)) {
		add("want an index line with hashes of 40 digits")
	}
	for _, t := range f.TextFragments {
		if t.LeadingContext > 1 || t.TrailingContext > 1 {
			add("hunk at line %d: want one line of context", t.OldPosition)
		}
		for _, l := range t.Lines {
			text := strings.TrimSuffix(l.Line, "\n")
			if l.Op == gitdiff.OpAdd && text != strings.TrimRight(text, " \t\r") {
				add("an added line ends in blanks: %q", text)
			}
		}
	}
	return problems
}
