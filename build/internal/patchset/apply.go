package patchset

import (
	"context"
	"fmt"
	"io"
	"strconv"

	"github.com/bluekeyes/go-gitdiff/gitdiff"

	"sidecar-node/build/internal/git"
)

// MismatchError says that a patch was made from another version of a file
// than the one in the tree.
type MismatchError struct {
	// Patch is the name of the patch.
	Patch string
	// File is the path in the tree.
	File string
	// Want is the blob id that the patch was made from, Found the one in the
	// tree; Found is empty if the file does not exist.
	Want, Found string
}

func (e *MismatchError) Error() string {
	found := e.Found
	if found == "" {
		found = "no such file"
	}
	return fmt.Sprintf(`patch %s%s does not apply to %s: want %s, found %s
it was made from another version of that file, and no patch is ever placed by likeness; nothing has been changed
patches that change this file, in order: grep -l -F 'diff --git a/%s ' patches/*%s
what changed since the series last applied: git log -p "$(git log -1 --format=%%h -- patches/tree.lock).." -- patches staging`,
		e.Patch, Suffix, e.File, e.Want, found, e.File, Suffix)
}

// Applied is a patch as a commit.
type Applied struct {
	*Patch
	// Commit is the commit of the patch, Tree its tree.
	Commit, Tree string
}

// Apply makes one commit a patch on top of base, without touching a working
// tree or a branch, and returns them in order. Before a patch is applied the
// files that it changes are compared with the ones that it was made from, and
// afterwards with the ones that must come out. Progress goes to out.
func Apply(ctx context.Context, r git.Repo, base string, patches []*Patch, out io.Writer) ([]Applied, error) {
	entries, err := r.Entries(ctx, base)
	if err != nil {
		return nil, err
	}
	index, err := r.NewIndex(ctx, base)
	if err != nil {
		return nil, err
	}
	defer index.Close()
	var applied []Applied
	parent := base
	for i, p := range patches {
		fmt.Fprintf(out, "    patch %d of %d: %s\n", i+1, len(patches), p.Name)
		for _, f := range p.Files {
			if err := checkBefore(p, f, entries); err != nil {
				return nil, err
			}
		}
		if err := index.Apply(ctx, p.Diff); err != nil {
			return nil, fmt.Errorf("patch %s%s is damaged: its files are the ones that it was made from, but: %w\nrestore it: git checkout -- patches/%s%s", p.Name, Suffix, err, p.Name, Suffix)
		}
		tree, err := index.Tree(ctx)
		if err != nil {
			return nil, err
		}
		changes, err := r.Changes(ctx, parent, tree)
		if err != nil {
			return nil, err
		}
		for _, c := range changes {
			if c.New.ID == "" {
				delete(entries, c.Path)
			} else {
				entries[c.Path] = c.New
			}
		}
		for _, f := range p.Files {
			if err := checkAfter(p, f, entries); err != nil {
				return nil, err
			}
		}
		commit, err := r.Commit(ctx, tree, parent, p.Message)
		if err != nil {
			return nil, err
		}
		applied = append(applied, Applied{p, commit, tree})
		parent = commit
	}
	return applied, nil
}

func checkBefore(p *Patch, f *gitdiff.File, entries map[string]git.Entry) error {
	name := filePath(f)
	e, exists := entries[name]
	if f.IsNew {
		return fmt.Errorf("patch %s%s adds %s: new files belong in staging/", p.Name, Suffix, name)
	}
	want := f.OldOIDPrefix
	if want == "" && exists {
		// Only the mode changes, so there is no index line.
		want = e.ID
	}
	if !exists || e.ID != want {
		return &MismatchError{p.Name, name, want, e.ID}
	}
	if f.OldMode != 0 && strconv.FormatUint(uint64(f.OldMode), 8) != e.Mode {
		return fmt.Errorf("patch %s%s: mode of %s: want %o, found %s", p.Name, Suffix, name, f.OldMode, e.Mode)
	}
	return nil
}

func checkAfter(p *Patch, f *gitdiff.File, entries map[string]git.Entry) error {
	name := filePath(f)
	e := entries[name]
	switch {
	case f.IsDelete && e.ID == "", f.NewOIDPrefix == "", !f.IsDelete && e.ID == f.NewOIDPrefix:
		return nil
	}
	return fmt.Errorf("patch %s%s is damaged: after it %s is %q, but its index line says %s\nrestore it: git checkout -- patches/%s%s", p.Name, Suffix, name, e.ID, f.NewOIDPrefix, p.Name, Suffix)
}
