package verify

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"sidecar-node/build/internal/assemble"
	"sidecar-node/build/internal/git"
	"sidecar-node/build/internal/layout"
	"sidecar-node/build/internal/patchset"
	"sidecar-node/build/internal/scratch"
)

var patchForm = Check{
	Name: "patch form",
	What: "every patch is listed, has a complete header and touches no generated file",
	Mend: "make export, which writes patches in this form",
	Run: func(_ context.Context, r *Repository) error {
		return patchset.Lint(r.Path("patches"))
	},
}

var roundTrip = Check{
	Name:      "round trip",
	What:      "the series applies to exactly the files it was made from, and export gives back the same bytes",
	Mend:      "make apply && make export",
	NeedsTree: true,
	Run: func(ctx context.Context, r *Repository) error {
		upstream, commit, err := pristine(ctx, r)
		if err != nil {
			return err
		}
		if err := os.MkdirAll(r.Output("verify"), 0o755); err != nil {
			return err
		}
		dir, err := os.MkdirTemp(r.Output("verify"), "round-trip-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		// A repository of its own, which borrows the objects: work of a
		// developer in the scratch tree is neither used nor touched.
		repo := git.Repo{Dir: filepath.Join(dir, "src")}
		if err := borrow(ctx, repo, upstream, commit); err != nil {
			return err
		}
		for _, folder := range []string{"patches", "staging"} {
			if err := r.copyTo(dir, folder); err != nil {
				return err
			}
		}
		s := &scratch.Scratch{Repo: repo, Patches: filepath.Join(dir, "patches"), Staging: filepath.Join(dir, "staging"), Out: io.Discard}
		if err := s.Apply(ctx, false); err != nil {
			return err
		}
		if err := s.Export(ctx, scratch.Source{}); err != nil {
			return err
		}
		return r.compare(dir, "patches", "staging")
	},
}

// pristine returns the scratch repository that holds the untouched tree, and
// the id of its commit.
func pristine(ctx context.Context, r *Repository) (git.Repo, string, error) {
	for _, v := range []layout.Variant{layout.Sidecar, layout.Stock} {
		repo := git.Repo{Dir: r.Src(v)}
		if _, err := os.Stat(filepath.Join(repo.Dir, ".git")); err != nil {
			continue
		}
		commit, err := repo.Resolve(ctx, assemble.PristineRef)
		if err != nil {
			return repo, "", err
		}
		if commit != "" {
			return repo, commit, nil
		}
	}
	return git.Repo{}, "", errors.New("there is no assembled tree to compare with: make apply")
}

// borrow makes an empty repository that reads the objects of another one.
func borrow(ctx context.Context, repo, from git.Repo, commit string) error {
	if err := os.MkdirAll(repo.Dir, 0o755); err != nil {
		return err
	}
	if _, err := repo.Run(ctx, "init", "-q"); err != nil {
		return err
	}
	alternates := filepath.Join(repo.Dir, ".git", "objects", "info", "alternates")
	if err := os.WriteFile(alternates, []byte(filepath.Join(from.Dir, ".git", "objects")+"\n"), 0o644); err != nil {
		return err
	}
	if _, err := repo.Run(ctx, "update-ref", assemble.PristineRef, commit); err != nil {
		return err
	}
	_, err := repo.Run(ctx, "checkout", "-q", "--detach", commit)
	return err
}

// copyTo copies the repository's files below folder into dir.
func (r *Repository) copyTo(dir, folder string) error {
	if err := os.MkdirAll(filepath.Join(dir, folder), 0o755); err != nil {
		return err
	}
	for _, f := range r.Files {
		if !strings.HasPrefix(f.Path, folder+"/") {
			continue
		}
		to := filepath.Join(dir, filepath.FromSlash(f.Path))
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return err
		}
		mode := os.FileMode(0o644)
		if f.Executable {
			mode = 0o755
		}
		if err := os.WriteFile(to, f.Data, mode); err != nil {
			return err
		}
	}
	return nil
}

// compare names every file below the folders of dir that differs from the
// repository's, is new there or is missing.
func (r *Repository) compare(dir string, folders ...string) error {
	ours := map[string][]byte{}
	for _, f := range r.Files {
		for _, folder := range folders {
			if strings.HasPrefix(f.Path, folder+"/") {
				ours[f.Path] = f.Data
			}
		}
	}
	var wrong []string
	for _, folder := range folders {
		err := filepath.WalkDir(filepath.Join(dir, folder), func(full string, d os.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			rel, err := filepath.Rel(dir, full)
			if err != nil {
				return err
			}
			name := filepath.ToSlash(rel)
			data, err := os.ReadFile(full)
			if err != nil {
				return err
			}
			want, known := ours[name]
			delete(ours, name)
			switch {
			case !known:
				wrong = append(wrong, name+": export makes this file, but it isn't in the repository")
			case !bytes.Equal(want, data):
				wrong = append(wrong, fmt.Sprintf("%s: export makes other bytes, first in line %d", name, firstDifference(want, data)))
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	for name := range ours {
		wrong = append(wrong, name+": export doesn't make this file")
	}
	return problems(wrong)
}

// firstDifference is the number of the first line that differs.
func firstDifference(a, b []byte) int {
	al, bl := bytes.Split(a, []byte("\n")), bytes.Split(b, []byte("\n"))
	for i := range min(len(al), len(bl)) {
		if !bytes.Equal(al[i], bl[i]) {
			return i + 1
		}
	}
	return min(len(al), len(bl)) + 1
}
