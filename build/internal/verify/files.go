package verify

import (
	"bytes"
	"context"
	"crypto/sha1"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"sidecar-node/build/internal/pipeline"
)

// File is a file of the repository.
type File struct {
	// Path is relative to the root, with slashes.
	Path string
	Data []byte
	// Executable tells whether it may be run.
	Executable bool
}

// Open reads the files of the checkout that git tracks or would add.
func Open(ctx context.Context, env pipeline.Env) (*Repository, error) {
	cmd := exec.CommandContext(ctx, "git", "-C", env.Root, "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("list the files of %s, which must be a git checkout: %w", env.Root, err)
	}
	r := &Repository{Env: env}
	for name := range strings.SplitSeq(strings.TrimRight(string(out), "\x00"), "\x00") {
		full := filepath.Join(env.Root, filepath.FromSlash(name))
		info, err := os.Lstat(full)
		if errors.Is(err, fs.ErrNotExist) {
			continue // deleted and not committed yet
		}
		if err != nil {
			return nil, err
		}
		if !info.Mode().IsRegular() {
			continue
		}
		data, err := os.ReadFile(full)
		if err != nil {
			return nil, err
		}
		r.Files = append(r.Files, File{name, data, info.Mode()&0o111 != 0})
	}
	return r, nil
}

// with returns the files with one of the suffixes.
func (r *Repository) with(suffixes ...string) []File {
	var files []File
	for _, f := range r.Files {
		if slices.ContainsFunc(suffixes, func(s string) bool { return strings.HasSuffix(f.Path, s) }) {
			files = append(files, f)
		}
	}
	return files
}

// has reports whether the repository has a file or a folder at that path.
func (r *Repository) has(name string) bool {
	name = path.Clean(name)
	return name == "." || slices.ContainsFunc(r.Files, func(f File) bool {
		return f.Path == name || strings.HasPrefix(f.Path, name+"/")
	})
}

// file returns the file at that path, or an empty one.
func (r *Repository) file(name string) File {
	for _, f := range r.Files {
		if f.Path == name {
			return f
		}
	}
	return File{Path: name}
}

// text reports whether the file is text, in the sense of git.
func (f File) text() bool { return !bytes.Contains(f.Data[:min(len(f.Data), 8000)], []byte{0}) }

// blobID is the id that git gives to the content of the file.
func (f File) blobID() string {
	h := sha1.New()
	fmt.Fprintf(h, "blob %d\x00", len(f.Data))
	h.Write(f.Data)
	return hex.EncodeToString(h.Sum(nil))
}

// problems joins what is wrong, sorted by place.
func problems(list []string) error {
	if len(list) == 0 {
		return nil
	}
	slices.Sort(list)
	return errors.New("  " + strings.Join(list, "\n  "))
}
