package scratch

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sidecar-node/build/internal/codegen"
	"sidecar-node/build/internal/generated"
	"sidecar-node/build/internal/git"
	"sidecar-node/build/internal/patchset"
	"sidecar-node/build/internal/replace"
)

// cacheRefs name results of earlier generations, by the digest of what they
// were made from.
const cacheRefs = "refs/sidecar/cache/"

// Touched returns the paths in the tree that the series and the overlay, and
// commits on top of them, change or add. Generated files are left out.
func (s *Scratch) Touched(ctx context.Context) ([]string, error) {
	changes, err := s.touched(ctx, "HEAD")
	if err != nil {
		return nil, err
	}
	var paths []string
	for _, c := range changes {
		paths = append(paths, c.Path)
	}
	return paths, nil
}

func (s *Scratch) touched(ctx context.Context, commit string) ([]git.Change, error) {
	changes, err := s.Repo.Changes(ctx, PristineRef, commit)
	return slices.DeleteFunc(changes, func(c git.Change) bool { return generated.Is(c.Path) }), err
}

// Generate makes the generated code of what is checked out and commits it. A
// result of an earlier generation from the same sources is taken again. Without
// work of a developer the tree must be the one of patches/tree.lock; with
// relock, or if the lock names none, the lock takes the tree that comes out.
// bin is a folder for the generators.
func (s *Scratch) Generate(ctx context.Context, bin string, relock bool) error {
	st, err := s.State(ctx)
	if err != nil {
		return err
	}
	if !st.Exists || st.Applied == "" {
		return errors.New("nothing to generate from; apply the series first: hack/sidecarctl apply")
	}
	if st.Busy != "" || len(st.Changes) > 0 {
		return &WorkError{s.Repo.Dir, &State{Busy: st.Busy, Changes: st.Changes, Applied: st.Applied}, "code is generated from commits"}
	}
	if err := s.discard(ctx, st.Leftover); err != nil {
		return err
	}
	if err := s.generate(ctx, bin); err != nil {
		return err
	}
	if len(st.Commits) > 0 {
		fmt.Fprintln(s.Out, "    with work on top of the series: patches/tree.lock is left alone")
		return nil
	}
	if _, err := s.Repo.Run(ctx, "update-ref", AppliedRef, "HEAD"); err != nil {
		return err
	}
	return s.lockGenerated(ctx, relock)
}

func (s *Scratch) lockGenerated(ctx context.Context, relock bool) error {
	tree, err := s.Repo.Tree(ctx, "HEAD")
	if err != nil {
		return err
	}
	lock, err := patchset.ReadTreeLock(s.treeLock())
	if err != nil {
		return err
	}
	// A lock that does not name what is generated from says nothing about it.
	if lock.Generated == tree || lock.Overlay == "" {
		return nil
	}
	if lock.Generated != "" && !relock {
		return fmt.Errorf("the generated code differs from patches/tree.lock: want tree %s, found %s\nsee that the generators work as upstream's: hack/sidecarctl generate --check-pristine\nif the new result is the wanted one: hack/sidecarctl generate --relock", lock.Generated, tree)
	}
	lock.Generated = tree
	return replace.File(s.treeLock(), lock.Format())
}

// generate brings the generated code of HEAD up to date, as a commit on top if
// anything changes.
func (s *Scratch) generate(ctx context.Context, bin string) error {
	changes, err := s.touched(ctx, "HEAD")
	if err != nil {
		return err
	}
	var paths []string
	for _, c := range changes {
		paths = append(paths, c.Path)
	}
	plan, err := codegen.NewPlan(ctx, s.Repo, paths)
	if err != nil {
		return err
	}
	sources, err := plan.Sources(ctx, s.Repo, paths)
	if err != nil {
		return err
	}
	// Generated code depends on the changes of the sources that generators
	// read, and on the plan; upstream's tree is part of the pristine commit.
	pristine, err := s.Repo.Resolve(ctx, PristineRef)
	if err != nil {
		return err
	}
	digest := sha256.New()
	fmt.Fprintf(digest, "%s %+v\n", pristine, plan)
	for _, c := range changes {
		if slices.Contains(sources, c.Path) {
			fmt.Fprintf(digest, "%s %s %s\n", c.Path, c.New.Mode, c.New.ID)
		}
	}
	ref := fmt.Sprintf("%s%x", cacheRefs, digest.Sum(nil))
	cached, err := s.Repo.Resolve(ctx, ref)
	if err != nil {
		return err
	}
	if cached != "" {
		fmt.Fprintln(s.Out, "    the sources of the generated code are those of an earlier run: taking its result")
		return s.take(ctx, cached)
	}
	// Start from upstream's generated files, so that the result does not
	// depend on what an earlier run left.
	if err := s.resetGenerated(ctx); err != nil {
		return err
	}
	if err := plan.Run(ctx, s.Repo, bin, s.Out); err != nil {
		_, cleanup := s.Repo.Run(context.WithoutCancel(ctx), "reset", "-q", "--hard", "HEAD")
		return errors.Join(err, cleanup)
	}
	if err := s.commitGenerated(ctx); err != nil {
		return err
	}
	_, err = s.Repo.Run(ctx, "update-ref", ref, "HEAD")
	return err
}

// take puts the generated files of an earlier commit into HEAD.
func (s *Scratch) take(ctx context.Context, cached string) error {
	changes, err := s.Repo.Changes(ctx, "HEAD", cached)
	if err != nil {
		return err
	}
	entries := map[string]git.Entry{}
	for _, c := range changes {
		if generated.Is(c.Path) {
			entries[c.Path] = c.New
		}
	}
	tree, err := s.with(ctx, "HEAD", entries)
	if err != nil || len(entries) == 0 {
		return err
	}
	commit, err := s.Repo.Commit(ctx, tree, "HEAD", generatedMessage)
	if err != nil {
		return err
	}
	return s.forward(ctx, commit)
}

// forward moves what is checked out to a commit on top of it.
func (s *Scratch) forward(ctx context.Context, commit string) error {
	_, err := s.Repo.Run(ctx, "merge", "-q", "--ff-only", commit)
	return err
}

const generatedMessage = "generated: code made by k8s.io/code-generator\n\nMade again by sidecarctl generate; export leaves it out.\n"

// resetGenerated puts upstream's generated files into the working tree.
func (s *Scratch) resetGenerated(ctx context.Context) error {
	changes, err := s.Repo.Changes(ctx, "HEAD", PristineRef)
	if err != nil {
		return err
	}
	for _, c := range changes {
		if !generated.Is(c.Path) {
			continue
		}
		if c.New.ID == "" {
			if err := os.Remove(filepath.Join(s.Repo.Dir, filepath.FromSlash(c.Path))); err != nil {
				return err
			}
		} else if _, err := s.Repo.Run(ctx, "--literal-pathspecs", "restore", "--source="+PristineRef, "--", c.Path); err != nil {
			return err
		}
	}
	return nil
}

// discard puts generated files back to what HEAD holds.
func (s *Scratch) discard(ctx context.Context, paths []string) error {
	if len(paths) == 0 {
		return nil
	}
	head, err := s.Repo.Entries(ctx, "HEAD")
	if err != nil {
		return err
	}
	args := []string{"--literal-pathspecs", "restore", "--source=HEAD", "--staged", "--worktree", "--"}
	known := false
	for _, p := range paths {
		if _, ok := head[p]; ok {
			args, known = append(args, p), true
		} else if err := os.Remove(filepath.Join(s.Repo.Dir, filepath.FromSlash(p))); err != nil && !os.IsNotExist(err) {
			return err
		}
	}
	if !known {
		return nil
	}
	_, err = s.Repo.Run(ctx, args...)
	return err
}

// commitGenerated commits what the generators wrote, which must be generated
// files only.
func (s *Scratch) commitGenerated(ctx context.Context) error {
	st, err := s.State(ctx)
	if err != nil {
		return err
	}
	if len(st.Changes) > 0 {
		return fmt.Errorf("the generators changed files that are not known as generated:\n%s\nthey are left in %[2]s; throw them away: git -C %[2]s reset --hard && git -C %[2]s clean -fd", strings.Join(st.Changes, "\n"), s.Repo.Dir)
	}
	if len(st.Leftover) == 0 {
		return nil
	}
	_, err = s.Repo.Do(ctx, git.Call{
		Args:  []string{"--literal-pathspecs", "add", "-f", "-A", "--pathspec-from-file=-", "--pathspec-file-nul"},
		Stdin: []byte(strings.Join(st.Leftover, "\x00")),
	})
	if err != nil {
		return err
	}
	tree, err := s.Repo.Run(ctx, "write-tree")
	if err != nil {
		return err
	}
	commit, err := s.Repo.Commit(ctx, tree, "HEAD", generatedMessage)
	if err != nil {
		return err
	}
	_, err = s.Repo.Run(ctx, "update-ref", "HEAD", commit)
	return err
}

// CheckPristine generates in a copy of the untouched tree, for the packages
// that the series touches, and returns an error that names the files that
// differ from upstream's.
func (s *Scratch) CheckPristine(ctx context.Context, bin string) error {
	paths, err := s.Touched(ctx)
	if err != nil {
		return err
	}
	dir := filepath.Join(filepath.Dir(s.Repo.Dir), "pristine")
	// A copy that an interrupted run has left.
	s.Repo.Run(ctx, "worktree", "remove", "--force", dir)
	if _, err := s.Repo.Run(ctx, "worktree", "add", "-q", "--detach", "--force", dir, PristineRef); err != nil {
		return err
	}
	defer s.Repo.Run(context.WithoutCancel(ctx), "worktree", "remove", "--force", dir)
	r := git.Repo{Dir: dir}
	plan, err := codegen.NewPlan(ctx, r, paths)
	if err != nil {
		return err
	}
	if err := plan.Run(ctx, r, bin, s.Out); err != nil {
		return err
	}
	out, err := r.Run(ctx, "status", "--porcelain", "--untracked-files=all", "--ignored=no")
	if err != nil {
		return err
	}
	if out != "" {
		return fmt.Errorf("on the untouched tree the generators give other files than upstream's:\n%s\nprotoc must be 3.21.12 (protoc --version) and Go the version of go.mod", out)
	}
	return nil
}
