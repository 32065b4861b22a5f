// Package patchset reads, checks, applies and writes the patch series: the
// changes of the distribution to files of upstream, one concern a patch. A
// patch applies to exactly the files it was made from; nothing is ever placed
// by likeness.
package patchset

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"

	"github.com/bluekeyes/go-gitdiff/gitdiff"
)

// Suffix of the files of patches.
const Suffix = ".patch"

// separator stands between the header and the diff.
const separator = "---\n"

// Patch is one patch of the series.
type Patch struct {
	// Name is the name of the file without its suffix.
	Name string
	// Message is the commit message, which is the header of the file.
	Message string
	// Diff is the part of the file that git applies.
	Diff []byte
	// Files are the changed files, from the diff.
	Files []*gitdiff.File
}

// Bytes returns the content of the patch file.
func (p *Patch) Bytes() []byte {
	return append([]byte(p.Message+separator), p.Diff...)
}

// Parse parses the content of a patch file.
func Parse(name string, data []byte) (*Patch, error) {
	message, diff, ok := bytes.Cut(data, []byte("\n"+separator+"diff --git "))
	if !ok {
		return nil, fmt.Errorf("patch %s: want a header, a line ---, and a diff that starts with diff --git", name)
	}
	return New(name, string(message)+"\n", append([]byte("diff --git "), diff...))
}

// New makes a patch of a message and a diff.
func New(name, message string, diff []byte) (*Patch, error) {
	files, _, err := gitdiff.Parse(bytes.NewReader(diff))
	if err != nil {
		return nil, fmt.Errorf("patch %s: %w", name, err)
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("patch %s changes no file", name)
	}
	return &Patch{Name: name, Message: message, Diff: diff, Files: files}, nil
}

// Read reads the patch of that name from the folder dir.
func Read(dir, name string) (*Patch, error) {
	data, err := os.ReadFile(filepath.Join(dir, name+Suffix))
	if err != nil {
		return nil, fmt.Errorf("patches/series lists %s: %w", name, err)
	}
	return Parse(name, data)
}

// filePath is the path of a changed file.
func filePath(f *gitdiff.File) string {
	if f.IsDelete {
		return f.OldName
	}
	return f.NewName
}

// Same reports whether two patches have the same header and change the same
// files from the same content to the same content. Their bytes may differ, if
// another version of git has chosen other hunks.
func (p *Patch) Same(o *Patch) bool {
	if p.Message != o.Message || len(p.Files) != len(o.Files) {
		return false
	}
	for i, f := range p.Files {
		g := o.Files[i]
		if filePath(f) != filePath(g) || f.OldOIDPrefix != g.OldOIDPrefix || f.NewOIDPrefix != g.NewOIDPrefix ||
			f.OldMode != g.OldMode || f.NewMode != g.NewMode || f.IsDelete != g.IsDelete || f.IsNew != g.IsNew {
			return false
		}
	}
	return true
}
