// Package scratch looks after the scratch repository _output/sidecar/src. Its
// history is upstream's tree, one commit a patch, the overlay, and the
// generated code; a developer edits and commits on top, or rebases, and export
// writes the result back to patches/ and staging/.
package scratch

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"sidecar-node/build/internal/assemble"
	"sidecar-node/build/internal/generated"
	"sidecar-node/build/internal/git"
	"sidecar-node/build/internal/layout"
)

// Refs of the scratch repository. What they reach is made by the tool or
// exported; every other commit is somebody's work.
const (
	PristineRef = assemble.PristineRef
	patchedRef  = "refs/sidecar/patched"
	overlayRef  = "refs/sidecar/overlay"
	// AppliedRef is the last commit that the tool made: the generated code,
	// or the overlay while nothing is generated.
	AppliedRef = "refs/sidecar/applied"
	// exportedRefs keep tips that have been exported, so that nothing that
	// was ever committed becomes unreachable.
	exportedRefs = "refs/sidecar/exported/"
	importedRef  = "refs/sidecar/imported"
	branch       = "sidecar"
)

// Scratch is a scratch repository and the folders that it is made from.
type Scratch struct {
	// Repo is the repository.
	Repo git.Repo
	// Patches and Staging are the folders patches/ and staging/.
	Patches, Staging string
	// Out receives the lines that people read.
	Out io.Writer
}

// Of returns the scratch repository of the sidecar variant in a checkout.
func Of(l layout.Layout, out io.Writer) *Scratch {
	return &Scratch{
		Repo:    git.Repo{Dir: l.Src(layout.Sidecar)},
		Patches: l.Path("patches"),
		Staging: l.Path("staging"),
		Out:     out,
	}
}

func (s *Scratch) treeLock() string { return filepath.Join(s.Patches, "tree.lock") }

// Commit is a commit in short.
type Commit struct{ ID, Subject string }

// State says what is in the scratch repository.
type State struct {
	// Exists is false if there is no repository.
	Exists bool
	// Head is the commit that is checked out, Applied the last one that the
	// tool made (empty before the first apply).
	Head, Applied string
	// Stage says in words how far the tool has come: pristine, applied or
	// generated.
	Stage string
	// Commits are those that the tool has neither made nor exported and that
	// Head contains, newest first.
	Commits []Commit
	// Elsewhere are such commits on other branches, tags or in the stash.
	Elsewhere []Commit
	// Changes are the uncommitted changes, as git status prints them.
	Changes []string
	// Leftover are generated files that are changed and not committed, such
	// as those of an interrupted generation. They are nobody's work.
	Leftover []string
	// Busy is the unfinished operation of git, such as rebase, or empty.
	Busy string
}

// Work reports whether a developer's work is checked out: commits or changes
// that are not yet in patches/ and staging/.
func (st *State) Work() bool {
	return len(st.Commits) > 0 || len(st.Changes) > 0 || st.Busy != ""
}

// State looks at the repository.
func (s *Scratch) State(ctx context.Context) (*State, error) {
	st := &State{}
	if _, err := os.Stat(filepath.Join(s.Repo.Dir, ".git")); err != nil {
		return st, nil
	}
	st.Exists = true
	refs := map[string]*string{"HEAD": &st.Head, AppliedRef: &st.Applied}
	var overlay string
	refs[overlayRef] = &overlay
	for ref, id := range refs {
		var err error
		if *id, err = s.Repo.Resolve(ctx, ref); err != nil {
			return nil, err
		}
	}
	switch {
	case st.Applied == "":
		st.Stage = "pristine"
	case st.Applied == overlay:
		st.Stage = "applied"
	default:
		st.Stage = "generated"
	}
	var err error
	if st.Commits, err = s.commits(ctx, "HEAD", "--not", "--glob=refs/sidecar/*"); err != nil {
		return nil, err
	}
	if st.Elsewhere, err = s.commits(ctx, "--all", "--not", "HEAD", "--glob=refs/sidecar/*"); err != nil {
		return nil, err
	}
	changed, err := s.changed(ctx)
	if err != nil {
		return nil, err
	}
	for _, c := range changed {
		if p := c[3:]; generated.Is(p) {
			st.Leftover = append(st.Leftover, p)
		} else if !strings.HasPrefix(c, ignored) {
			st.Changes = append(st.Changes, c)
		}
	}
	for file, what := range map[string]string{
		"rebase-merge": "rebase", "rebase-apply": "rebase", "MERGE_HEAD": "merge", "CHERRY_PICK_HEAD": "cherry-pick", "REVERT_HEAD": "revert",
	} {
		if _, err := os.Stat(filepath.Join(s.Repo.Dir, ".git", file)); err == nil && st.Busy != "rebase" {
			st.Busy = what
		}
	}
	return st, nil
}

// ignored marks files that upstream's .gitignore matches. They count only if
// they are generated.
const ignored = "!!"

// changed returns the uncommitted changes: two letters, a blank and the path.
func (s *Scratch) changed(ctx context.Context) ([]string, error) {
	out, err := s.Repo.Do(ctx, git.Call{Args: []string{"status", "--porcelain", "-z", "--no-renames", "--untracked-files=all", "--ignored=matching"}})
	if err != nil {
		return nil, err
	}
	return strings.FieldsFunc(string(out), func(r rune) bool { return r == 0 }), nil
}

func (s *Scratch) commits(ctx context.Context, revs ...string) ([]Commit, error) {
	out, err := s.Repo.Run(ctx, append([]string{"log", "--format=%H %s"}, revs...)...)
	if err != nil {
		return nil, err
	}
	var commits []Commit
	for line := range strings.Lines(out) {
		id, subject, _ := strings.Cut(strings.TrimSpace(line), " ")
		commits = append(commits, Commit{id, subject})
	}
	return commits, nil
}

// WorkError says that a step would throw away somebody's work.
type WorkError struct {
	Dir   string
	State *State
	// Why says what the step needs.
	Why string
}

func (e *WorkError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, but %s holds work that is not exported:\n", e.Why, e.Dir)
	if e.State.Busy != "" {
		fmt.Fprintf(&b, "  an unfinished %s\n", e.State.Busy)
	}
	for _, c := range limit(e.State.Commits) {
		fmt.Fprintf(&b, "  commit %.12s %s\n", c.ID, c.Subject)
	}
	for _, c := range limit(e.State.Elsewhere) {
		fmt.Fprintf(&b, "  commit %.12s %s (not checked out)\n", c.ID, c.Subject)
	}
	for _, c := range limit(e.State.Changes) {
		fmt.Fprintf(&b, "  %s\n", c)
	}
	fmt.Fprintf(&b, `nothing has been changed
to keep it: commit it (git -C %[1]s commit), then hack/sidecarctl export
to give it up: git -C %[1]s reset --hard %[2]s, and git -C %[1]s clean -fd for new files`, e.Dir, e.reset())
	return b.String()
}

func (e *WorkError) reset() string {
	if e.State.Applied == "" {
		return PristineRef
	}
	return AppliedRef
}

// limit keeps messages readable.
func limit[T any](all []T) []T {
	const most = 10
	if len(all) > most {
		return all[:most]
	}
	return all
}
