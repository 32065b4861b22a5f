package scratch

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sidecar-node/build/internal/git"
	"sidecar-node/build/internal/overlay"
	"sidecar-node/build/internal/patchset"
	"sidecar-node/build/internal/replace"
)

// write puts an export in the place of patches/ and staging/.
func (s *Scratch) write(ctx context.Context, e *export) error {
	patches, staging := s.Patches+".new", filepath.Join(s.Staging, overlay.Folder+".new")
	for _, d := range []string{patches, staging} {
		if err := os.RemoveAll(d); err != nil {
			return err
		}
		defer os.RemoveAll(d)
	}
	if err := s.writePatches(e, patches); err != nil {
		return err
	}
	if err := s.writeStaging(ctx, e, staging); err != nil {
		return err
	}
	if err := swap(filepath.Join(s.Staging, overlay.Folder), staging); err != nil {
		return err
	}
	return swap(s.Patches, patches)
}

// swap moves next to the place of dir unless they hold the same.
func swap(dir, next string) error {
	same, err := equal(dir, next)
	if err != nil || same {
		return err
	}
	return replace.Dir(dir, next)
}

// writePatches writes the folder patches/ to dir: the files of the series, and
// copies of the others.
func (s *Scratch) writePatches(e *export, dir string) error {
	old, err := patchset.ReadSeries(s.Patches)
	if err != nil {
		return err
	}
	lock, err := patchset.ReadTreeLock(s.treeLock())
	if err != nil {
		// It is written anew, so a conflict of a merge in it does no harm.
		lock = &patchset.TreeLock{}
	}
	if lock.Overlay == e.lock.Overlay {
		e.lock.Generated = lock.Generated
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	files, err := os.ReadDir(s.Patches)
	if err != nil {
		return err
	}
	for _, f := range files {
		if f.IsDir() || strings.HasSuffix(f.Name(), patchset.Suffix) {
			continue
		}
		data, err := os.ReadFile(filepath.Join(s.Patches, f.Name()))
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, f.Name()), data, 0o644); err != nil {
			return err
		}
	}
	var names []string
	for _, p := range e.patches {
		names = append(names, p.Name)
		data, what := p.Bytes(), "changed"
		before, err := os.ReadFile(filepath.Join(s.Patches, p.Name+patchset.Suffix))
		switch {
		case err != nil:
			what = "new"
		case bytes.Equal(before, data):
			what = "unchanged"
		default:
			if q, err := patchset.Parse(p.Name, before); err == nil && q.Same(p) {
				data, what = before, "unchanged"
			}
		}
		fmt.Fprintf(s.Out, "    %-9s %s\n", what, p.Name+patchset.Suffix)
		if err := os.WriteFile(filepath.Join(dir, p.Name+patchset.Suffix), data, 0o644); err != nil {
			return err
		}
	}
	for _, n := range old.Names {
		if !slices.Contains(names, n) {
			fmt.Fprintf(s.Out, "    %-9s %s\n", "removed", n+patchset.Suffix)
		}
	}
	readme, err := patchset.Readme(e.patches)
	if err != nil {
		return err
	}
	for name, data := range map[string][]byte{
		patchset.SeriesFile: old.With(names),
		"README.md":         readme,
		"tree.lock":         e.lock.Format(),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			return err
		}
	}
	return patchset.Lint(dir)
}

func (s *Scratch) writeStaging(ctx context.Context, e *export, dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for path, entry := range e.staging {
		rel := strings.TrimPrefix(overlay.StagingPath(path), overlay.Folder+"/")
		file := filepath.Join(dir, filepath.FromSlash(rel))
		data, err := s.Repo.Blob(ctx, entry.ID)
		if err != nil {
			return err
		}
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(file, data, mode(entry)); err != nil {
			return err
		}
	}
	fmt.Fprintf(s.Out, "    overlay: %d files\n", len(e.staging))
	return nil
}

func mode(e git.Entry) os.FileMode {
	if e.Mode == "100755" {
		return 0o755
	}
	return 0o644
}

// equal reports whether two folders hold the same files with the same content
// and execute bits.
func equal(a, b string) (bool, error) {
	x, err := contents(a)
	if err != nil {
		return false, err
	}
	y, err := contents(b)
	if err != nil {
		return false, err
	}
	if len(x) != len(y) {
		return false, nil
	}
	for p, v := range x {
		if w, ok := y[p]; !ok || v != w {
			return false, nil
		}
	}
	return true, nil
}

// contents returns the content of every file below dir, by path, with a mark
// for the execute bit. A missing folder is empty.
func contents(dir string) (map[string]string, error) {
	all := map[string]string{}
	if _, err := os.Stat(dir); os.IsNotExist(err) {
		return all, nil
	}
	err := filepath.WalkDir(dir, func(p string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, p)
		all[rel] = fmt.Sprintf("%v %s", info.Mode()&0o111 != 0, data)
		return err
	})
	return all, err
}
