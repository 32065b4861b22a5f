package scratch

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"sidecar-node/build/internal/generated"
	"sidecar-node/build/internal/git"
	"sidecar-node/build/internal/overlay"
	"sidecar-node/build/internal/patchset"
	"sidecar-node/build/internal/replace"
)

// Apply makes the history of the scratch repository from patches/ and
// staging/ and checks it out. It refuses if a developer's work is checked
// out. With relock, patches/tree.lock takes the trees that come out; without,
// they must be the ones of the lock.
func (s *Scratch) Apply(ctx context.Context, relock bool) error {
	st, err := s.State(ctx)
	if err != nil {
		return err
	}
	if st.Work() {
		return &WorkError{s.Repo.Dir, st, "the series is to be applied"}
	}
	if err := s.discard(ctx, st.Leftover); err != nil {
		return err
	}
	h, err := s.build(ctx)
	if err != nil {
		return err
	}
	lock, err := patchset.ReadTreeLock(s.treeLock())
	if err != nil && !relock {
		return err
	}
	if relock {
		next := h.lock()
		if lock != nil && lock.Overlay == next.Overlay {
			next.Generated = lock.Generated
		}
		if err := replace.File(s.treeLock(), next.Format()); err != nil {
			return err
		}
	} else if err := lock.Check(h.applied, h.overlayTree); err != nil {
		return err
	}
	return s.checkOut(ctx, h)
}

// history is what the series and the overlay make of upstream's tree.
type history struct {
	pristineTree         string
	applied              []patchset.Applied
	patched              string
	overlay, overlayTree string
}

func (h *history) lock() *patchset.TreeLock {
	l := &patchset.TreeLock{Pristine: h.pristineTree, Overlay: h.overlayTree}
	for _, a := range h.applied {
		l.Patches = append(l.Patches, patchset.PatchTree{Name: a.Name, Tree: a.Tree})
	}
	return l
}

// build makes the commits without touching branch or working tree.
func (s *Scratch) build(ctx context.Context) (*history, error) {
	if err := patchset.Lint(s.Patches); err != nil {
		return nil, err
	}
	patches, err := patchset.Load(s.Patches)
	if err != nil {
		return nil, err
	}
	files, err := overlay.Files(s.Staging)
	if err != nil {
		return nil, err
	}
	pristine, err := s.Repo.Resolve(ctx, PristineRef)
	if err != nil {
		return nil, err
	}
	if pristine == "" {
		return nil, fmt.Errorf("%s has no commit of the untouched tree; make it: hack/sidecarctl assemble", s.Repo.Dir)
	}
	upstream, err := s.Repo.Entries(ctx, pristine)
	if err != nil {
		return nil, err
	}
	if err := checkOverlay(files, upstream); err != nil {
		return nil, err
	}
	h := &history{}
	if h.pristineTree, err = s.Repo.Tree(ctx, pristine); err != nil {
		return nil, err
	}
	if h.applied, err = patchset.Apply(ctx, s.Repo, pristine, patches, s.Out); err != nil {
		return nil, err
	}
	h.patched = pristine
	if n := len(h.applied); n > 0 {
		h.patched = h.applied[n-1].Commit
	}
	fmt.Fprintf(s.Out, "    overlay: %d files\n", len(files))
	entries, err := s.store(ctx, files)
	if err != nil {
		return nil, err
	}
	if h.overlayTree, err = s.with(ctx, h.patched, entries); err != nil {
		return nil, err
	}
	message := fmt.Sprintf("overlay: files of staging\n\nLaid over the tree from staging/, %d files. Changes to them, in any commit,\nare written back to staging/ by export.\n", len(files))
	h.overlay, err = s.Repo.Commit(ctx, h.overlayTree, h.patched, message)
	return h, err
}

func checkOverlay(files []overlay.File, upstream map[string]git.Entry) error {
	var errs []error
	for _, f := range files {
		if generated.Is(f.Path) {
			errs = append(errs, fmt.Errorf("staging/%s is a generated file: remove it, it is made again after the series", overlay.StagingPath(f.Path)))
		}
	}
	errs = append(errs, overlay.Check(files, func(p string) bool { _, ok := upstream[p]; return ok }))
	return errors.Join(errs...)
}

// store puts files into the object database and returns their entries.
func (s *Scratch) store(ctx context.Context, files []overlay.File) (map[string]git.Entry, error) {
	if len(files) == 0 {
		return nil, nil
	}
	var paths strings.Builder
	for _, f := range files {
		if strings.Contains(f.Source, "\n") {
			return nil, fmt.Errorf("file name %q holds a line break", f.Source)
		}
		paths.WriteString(f.Source + "\n")
	}
	out, err := s.Repo.Do(ctx, git.Call{
		Args:  []string{"hash-object", "-w", "--no-filters", "--stdin-paths"},
		Stdin: []byte(paths.String()),
	})
	if err != nil {
		return nil, err
	}
	ids := strings.Fields(string(out))
	if len(ids) != len(files) {
		return nil, fmt.Errorf("git hash-object: %d files, %d ids", len(files), len(ids))
	}
	entries := map[string]git.Entry{}
	for i, f := range files {
		mode := "100644"
		if f.Executable {
			mode = "100755"
		}
		entries[f.Path] = git.Entry{Mode: mode, ID: ids[i]}
	}
	return entries, nil
}

// with returns the tree of a commit with entries put in.
func (s *Scratch) with(ctx context.Context, treeish string, entries map[string]git.Entry) (string, error) {
	index, err := s.Repo.NewIndex(ctx, treeish)
	if err != nil {
		return "", err
	}
	defer index.Close()
	if err := index.Set(ctx, entries); err != nil {
		return "", err
	}
	return index.Tree(ctx)
}

// checkOut moves branch, refs and working tree to the history. A tree that
// has it already, with or without generated code, stays as it is.
func (s *Scratch) checkOut(ctx context.Context, h *history) error {
	have, err := s.Repo.Resolve(ctx, overlayRef)
	if err != nil {
		return err
	}
	target := h.overlay
	if have == h.overlay {
		if target, err = s.Repo.Resolve(ctx, AppliedRef); err != nil {
			return err
		}
	}
	if _, err := s.Repo.Run(ctx, "checkout", "-q", "--no-track", "-B", branch, target); err != nil {
		return err
	}
	for ref, id := range map[string]string{patchedRef: h.patched, overlayRef: h.overlay, AppliedRef: target} {
		if _, err := s.Repo.Run(ctx, "update-ref", ref, id); err != nil {
			return err
		}
	}
	return nil
}
