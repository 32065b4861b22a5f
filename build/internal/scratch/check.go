package scratch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"sidecar-node/build/internal/overlay"
	"sidecar-node/build/internal/patchset"
)

// CheckExport applies patches/ and staging/ to the untouched tree, in the
// object database only, and exports the result into a temporary folder. It
// returns an error that names the files that differ from the ones in
// patches/ and staging/.
func (s *Scratch) CheckExport(ctx context.Context) error {
	h, err := s.build(ctx)
	if err != nil {
		return err
	}
	lock, err := patchset.ReadTreeLock(s.treeLock())
	if err != nil {
		return err
	}
	want := h.lock()
	want.Generated = lock.Generated
	if err := lock.Check(h.applied, h.overlayTree); err != nil {
		return err
	}
	if !bytes.Equal(lock.Format(), want.Format()) {
		return fmt.Errorf("patches/tree.lock is not complete; write it: hack/sidecarctl apply --relock, then generate")
	}
	base, err := s.mustResolve(ctx, PristineRef)
	if err != nil {
		return err
	}
	e, err := s.read(ctx, base, h.overlay)
	if err != nil {
		return err
	}
	tmp, err := os.MkdirTemp("", "sidecarctl-export-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	// Into empty folders, so that no patch is kept for its old bytes.
	t := &Scratch{Repo: s.Repo, Patches: filepath.Join(tmp, "patches"), Staging: filepath.Join(tmp, "staging"), Out: io.Discard}
	if err := os.MkdirAll(t.Patches, 0o755); err != nil {
		return err
	}
	for _, name := range []string{patchset.SeriesFile, "tree.lock", "upstream.lock"} {
		data, err := os.ReadFile(filepath.Join(s.Patches, name))
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(t.Patches, name), data, 0o644); err != nil {
			return err
		}
	}
	if err := t.write(ctx, e); err != nil {
		return err
	}
	return errors.Join(
		compare("patches", s.Patches, t.Patches),
		compare("staging/"+overlay.Folder, filepath.Join(s.Staging, overlay.Folder), filepath.Join(t.Staging, overlay.Folder)),
	)
}

// compare returns an error that names the files in which two folders differ.
func compare(name, have, want string) error {
	a, err := contents(have)
	if err != nil {
		return err
	}
	b, err := contents(want)
	if err != nil {
		return err
	}
	var errs []error
	for p, v := range a {
		if w, ok := b[p]; !ok {
			errs = append(errs, fmt.Errorf("%s/%s: an export does not write this file", name, p))
		} else if v != w {
			errs = append(errs, fmt.Errorf("%s/%s: an export writes other bytes", name, p))
		}
	}
	for p := range b {
		if _, ok := a[p]; !ok {
			errs = append(errs, fmt.Errorf("%s/%s: missing, but an export writes it", name, p))
		}
	}
	if len(errs) > 0 {
		errs = append(errs, errors.New("write the files that an export gives: hack/sidecarctl apply && hack/sidecarctl export"))
	}
	return errors.Join(errs...)
}
