package scratch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"sidecar-node/build/internal/generated"
	"sidecar-node/build/internal/git"
	"sidecar-node/build/internal/patchset"
)

// Source says where Export takes the commits from.
type Source struct {
	// Dir is a repository, or empty for the scratch repository itself.
	Dir string
	// Base is the commit of the untouched tree below the commits, and Tip the
	// last of them, as revisions of Dir. For the scratch repository both are
	// empty: everything from the untouched tree to what is checked out.
	Base, Tip string
}

// Export writes commits back: what they change in files of upstream becomes
// the patches of patches/, one a commit, and what they add becomes staging/.
// Generated files go nowhere. Patches that have not changed keep their bytes.
// Both folders are made beside the old ones and then swapped, after it has been
// proved that they give the tree that was exported.
func (s *Scratch) Export(ctx context.Context, from Source) error {
	st, err := s.State(ctx)
	if err != nil {
		return err
	}
	if !st.Exists {
		return fmt.Errorf("nothing to export: %s does not exist; make it: hack/sidecarctl apply", s.Repo.Dir)
	}
	base, tip := PristineRef, "HEAD"
	if from.Dir == "" {
		if st.Busy != "" || len(st.Changes) > 0 {
			return &WorkError{s.Repo.Dir, &State{Busy: st.Busy, Changes: st.Changes, Applied: st.Applied}, "only commits are exported"}
		}
	} else {
		if st.Work() {
			return &WorkError{s.Repo.Dir, st, "the commits of " + from.Dir + " are to replace the series"}
		}
		if base, tip, err = s.fetch(ctx, from); err != nil {
			return err
		}
	}
	if base, err = s.mustResolve(ctx, base); err != nil {
		return err
	}
	if tip, err = s.mustResolve(ctx, tip); err != nil {
		return err
	}
	squashed, err := s.autosquash(ctx, base, tip)
	if err != nil {
		return err
	}
	e, err := s.read(ctx, base, squashed)
	if err != nil {
		return err
	}
	if err := s.write(ctx, e); err != nil {
		return err
	}
	// From here on the commits are known: apply may move away from them.
	_, err = s.Repo.Run(ctx, "update-ref", exportedRefs+tip, tip)
	return err
}

func (s *Scratch) mustResolve(ctx context.Context, rev string) (string, error) {
	id, err := s.Repo.Resolve(ctx, rev)
	if err == nil && id == "" {
		err = fmt.Errorf("%s: no commit %q", s.Repo.Dir, rev)
	}
	return id, err
}

// fetch brings the commits of another repository here and checks that they
// stand on the untouched tree.
func (s *Scratch) fetch(ctx context.Context, from Source) (base, tip string, err error) {
	theirs := git.Repo{Dir: from.Dir}
	if base, err = theirs.Resolve(ctx, from.Base); err != nil {
		return "", "", err
	}
	if tip, err = theirs.Resolve(ctx, from.Tip); err != nil {
		return "", "", err
	}
	if base == "" || tip == "" {
		return "", "", fmt.Errorf("%s: no commit %q or %q", from.Dir, from.Base, from.Tip)
	}
	theirTree, err := theirs.Tree(ctx, base)
	if err != nil {
		return "", "", err
	}
	ourTree, err := s.Repo.Tree(ctx, PristineRef)
	if err != nil {
		return "", "", err
	}
	if theirTree != ourTree {
		return "", "", fmt.Errorf("%s: commit %s is not the untouched tree: want tree %s, found %s", from.Dir, from.Base, ourTree, theirTree)
	}
	abs, err := filepath.Abs(from.Dir)
	if err != nil {
		return "", "", err
	}
	// The tip gets a name for the time of the transfer: a commit id alone is
	// not served by every repository.
	const name = "refs/sidecar-export/tip"
	if _, err := theirs.Run(ctx, "update-ref", name, tip); err != nil {
		return "", "", err
	}
	_, err = s.Repo.Run(ctx, "fetch", "-q", "--no-tags", "--no-write-fetch-head", abs, "+"+name+":"+importedRef)
	_, cleanup := theirs.Run(context.WithoutCancel(ctx), "update-ref", "-d", name)
	return base, tip, errors.Join(err, cleanup)
}

// export is a series with its overlay, not yet written.
type export struct {
	patches []*patchset.Patch
	staging map[string]git.Entry
	lock    *patchset.TreeLock
}

// read makes patches and overlay of the commits between base and tip.
func (s *Scratch) read(ctx context.Context, base, tip string) (*export, error) {
	commits, err := s.line(ctx, base, tip)
	if err != nil {
		return nil, err
	}
	upstream, err := s.Repo.Entries(ctx, base)
	if err != nil {
		return nil, err
	}
	e := &export{staging: map[string]git.Entry{}}
	parent := base
	var errs []error
	for _, c := range commits {
		p, err := s.patch(ctx, parent, c, upstream)
		if err != nil {
			errs = append(errs, err)
		}
		if p != nil {
			e.patches = append(e.patches, p)
		}
		parent = c
	}
	errs = append(errs, checkOrder(e.patches))
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	if len(e.patches) == 0 {
		return nil, errors.New("the commits hold no patch, and an empty series would delete every patch there is: nothing has been changed")
	}
	final, err := s.Repo.Changes(ctx, base, tip)
	if err != nil {
		return nil, err
	}
	for _, c := range final {
		if _, ours := upstream[c.Path]; !ours && !generated.Is(c.Path) {
			if c.New.Mode == "120000" || c.New.Mode == "160000" {
				return nil, fmt.Errorf("%s is no regular file", c.Path)
			}
			e.staging[c.Path] = c.New
		}
	}
	return e, s.prove(ctx, base, e, final)
}

// line returns the commits after base up to tip, oldest first. They must be a
// line without merges.
func (s *Scratch) line(ctx context.Context, base, tip string) ([]string, error) {
	out, err := s.Repo.Run(ctx, "rev-list", "--reverse", "--topo-order", "--parents", base+".."+tip)
	if err != nil {
		return nil, err
	}
	var commits []string
	parent := base
	for line := range strings.Lines(out) {
		f := strings.Fields(line)
		if len(f) != 2 || f[1] != parent {
			return nil, fmt.Errorf("commit %.12s is a merge or does not stand on the untouched tree: want one line of commits from %.12s to %.12s\nmake it one: git -C %s rebase %s", f[0], base, tip, s.Repo.Dir, PristineRef)
		}
		commits = append(commits, f[0])
		parent = f[0]
	}
	return commits, nil
}

// diffArgs state everything that decides what a diff looks like.
var diffArgs = []string{
	"--literal-pathspecs", "diff-tree", "-p", "-r", "-U1", "--inter-hunk-context=0", "--full-index", "--no-renames",
	"--diff-algorithm=myers", "--indent-heuristic", "--no-ext-diff", "--no-textconv", "--no-color", "--no-relative",
	"--src-prefix=a/", "--dst-prefix=b/", "--submodule=short", "--ws-error-highlight=none", "--no-function-context",
}

// patch returns the patch of a commit, or nil if it changes no file of
// upstream other than generated ones.
func (s *Scratch) patch(ctx context.Context, parent, commit string, upstream map[string]git.Entry) (*patchset.Patch, error) {
	changes, err := s.Repo.Changes(ctx, parent, commit)
	if err != nil {
		return nil, err
	}
	message, err := s.Repo.Message(ctx, commit)
	if err != nil {
		return nil, err
	}
	var paths []string
	for _, c := range changes {
		if _, ours := upstream[c.Path]; ours && !generated.Is(c.Path) {
			paths = append(paths, c.Path)
		}
	}
	subject, _, _ := strings.Cut(message, "\n")
	name := patchset.PatchName(message)
	switch {
	case len(paths) == 0 && name == "":
		return nil, nil
	case len(paths) == 0:
		return nil, fmt.Errorf("commit %.12s %q has the trailer Patch: %s but changes no file of upstream: remove the trailer, or make it a fixup! of another commit", commit, subject, name)
	case name == "":
		return nil, fmt.Errorf("commit %.12s %q changes %s, which is a file of upstream, but has no trailer Patch:\nmake it part of a patch: git -C %s commit --amend -m 'fixup! <subject of that patch>', or give it a header: docs/patching.md", commit, subject, paths[0], s.Repo.Dir)
	}
	args := append(append([]string{}, diffArgs...), parent, commit, "--")
	diff, err := s.Repo.Do(ctx, git.Call{Args: append(args, paths...)})
	if err != nil {
		return nil, err
	}
	p, err := patchset.New(name, strings.TrimRight(message, "\n")+"\n", diff)
	if err != nil {
		return nil, err
	}
	if err := p.Lint(); err != nil {
		return nil, fmt.Errorf("commit %.12s %q:\n%w", commit, subject, err)
	}
	return p, nil
}

func checkOrder(patches []*patchset.Patch) error {
	for i := 1; i < len(patches); i++ {
		a, b := patches[i-1].Name, patches[i].Name
		if a == b {
			return fmt.Errorf("two commits have the trailer Patch: %s: make the second a fixup! of the first, or give it its own name", a)
		}
		if a > b {
			return fmt.Errorf("the commit of %s stands below the one of %s: the order of the names is the order of the series; move the commit (git rebase -i) or change its trailer Patch:", a, b)
		}
	}
	return nil
}

// prove applies the exported series to the untouched tree and compares the
// result with the exported tree, leaving generated files aside. It fills in
// the lock.
func (s *Scratch) prove(ctx context.Context, base string, e *export, final []git.Change) error {
	applied, err := patchset.Apply(ctx, s.Repo, base, e.patches, io.Discard)
	if err != nil {
		return fmt.Errorf("the exported series does not apply: %w", err)
	}
	e.lock = &patchset.TreeLock{}
	if e.lock.Pristine, err = s.Repo.Tree(ctx, base); err != nil {
		return err
	}
	for _, a := range applied {
		e.lock.Patches = append(e.lock.Patches, patchset.PatchTree{Name: a.Name, Tree: a.Tree})
	}
	if e.lock.Overlay, err = s.with(ctx, applied[len(applied)-1].Commit, e.staging); err != nil {
		return err
	}
	want := map[string]git.Entry{}
	for _, c := range final {
		if !generated.Is(c.Path) {
			want[c.Path] = c.New
		}
	}
	tree, err := s.with(ctx, base, want)
	if err != nil {
		return err
	}
	if tree != e.lock.Overlay {
		return fmt.Errorf("the exported series and overlay give tree %s, but the commits give %s: nothing has been changed", e.lock.Overlay, tree)
	}
	return nil
}

// autosquash returns tip, or, if commits after base are marked fixup!, squash!
// or amend!, a commit in which they have been put where they belong. It works
// beside the working tree.
func (s *Scratch) autosquash(ctx context.Context, base, tip string) (string, error) {
	commits, err := s.commits(ctx, base+".."+tip)
	if err != nil {
		return "", err
	}
	marked := false
	for _, c := range commits {
		for _, m := range []string{"fixup! ", "squash! ", "amend! "} {
			marked = marked || strings.HasPrefix(c.Subject, m)
		}
	}
	if !marked {
		return tip, nil
	}
	fmt.Fprintln(s.Out, "    putting fixup commits where they belong")
	parent, err := os.MkdirTemp("", "sidecarctl-squash-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(parent)
	dir := filepath.Join(parent, "src")
	if _, err := s.Repo.Run(ctx, "worktree", "add", "-q", "--detach", dir, tip); err != nil {
		return "", err
	}
	defer s.Repo.Run(context.WithoutCancel(ctx), "worktree", "remove", "--force", dir)
	w := git.Repo{Dir: dir}
	_, err = w.Do(ctx, git.Call{
		Args: []string{"-c", "commit.cleanup=strip", "rebase", "-q", "-i", "--autosquash", base},
		Env:  []string{"GIT_SEQUENCE_EDITOR=true"},
	})
	if err != nil {
		return "", fmt.Errorf("the fixup commits do not fit where they belong: %w\nnothing has been changed; do it by hand: git -C %s rebase -i --autosquash %s, then export again", err, s.Repo.Dir, PristineRef)
	}
	squashed, err := w.Resolve(ctx, "HEAD")
	if err != nil {
		return "", err
	}
	// Git takes the deletion of a file for done where the file does not exist.
	changed, err := s.Repo.Changes(ctx, tip, squashed)
	if err != nil {
		return "", err
	}
	if len(changed) > 0 {
		return "", fmt.Errorf("putting the fixup commits where they belong would change %s, as if a commit had not been made: "+
			"a file is deleted in the fixup of a commit in which it does not exist yet (one of the overlay in that of a patch)\n"+
			"nothing has been changed; move the deletion into a fixup of the commit that adds the file, then export again", changed[0].Path)
	}
	rest, err := s.commits(ctx, base+".."+squashed)
	if err != nil {
		return "", err
	}
	for _, c := range rest {
		if strings.HasPrefix(c.Subject, "fixup! ") || strings.HasPrefix(c.Subject, "squash! ") || strings.HasPrefix(c.Subject, "amend! ") {
			return "", fmt.Errorf("commit %q names no commit of the series: correct its subject (git -C %s commit --amend)", c.Subject, s.Repo.Dir)
		}
	}
	return squashed, nil
}
