// Package overlay lays the files of staging/ over the Kubernetes tree. They
// are our own new files; a path that upstream has is an error.
package overlay

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Folder is the folder below staging/ that holds the overlay.
const Folder = "k8s.io"

const (
	mainModule = "k8s.io/kubernetes/"
	treeRoot   = "staging/src/"
)

// TreePath maps a path below staging/ (k8s.io/api/core/v1/x.go) to its place
// in the tree (staging/src/k8s.io/api/core/v1/x.go). Paths below
// k8s.io/kubernetes are counted from the root of the tree.
func TreePath(p string) (string, error) {
	if rest, ok := strings.CutPrefix(p, mainModule); ok {
		if strings.HasPrefix(rest, treeRoot+"k8s.io/") {
			return "", fmt.Errorf("staging/%s: want staging/%s", p, strings.TrimPrefix(rest, treeRoot))
		}
		return rest, nil
	}
	if parts := strings.SplitN(p, "/", 3); len(parts) < 3 || parts[0] != "k8s.io" {
		return "", fmt.Errorf("staging/%s: want staging/k8s.io/<module>/<path>", p)
	}
	return treeRoot + p, nil
}

// StagingPath is the inverse of TreePath.
func StagingPath(treePath string) string {
	if rest, ok := strings.CutPrefix(treePath, treeRoot); ok && strings.HasPrefix(rest, "k8s.io/") && strings.Count(rest, "/") >= 2 {
		return rest
	}
	return mainModule + treePath
}

// File is a file of the overlay.
type File struct {
	// Source is the absolute path of the file.
	Source string
	// Path is its path in the tree.
	Path string
	// Executable says whether its execute bit is set.
	Executable bool
}

// Files returns the files of the overlay in the folder staging, sorted by
// their path in the tree. A missing folder is an empty overlay.
func Files(staging string) ([]File, error) {
	root := filepath.Join(staging, Folder)
	if _, err := os.Stat(root); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var files []File
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(staging, p)
		if err != nil {
			return err
		}
		if !d.Type().IsRegular() {
			return fmt.Errorf("staging/%s is no regular file", rel)
		}
		tp, err := TreePath(filepath.ToSlash(rel))
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		files = append(files, File{Source: p, Path: path.Clean(tp), Executable: info.Mode()&0o111 != 0})
		return nil
	})
	if err != nil {
		return nil, err
	}
	slices.SortFunc(files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	return files, nil
}

// CollisionError says that an overlay file would replace a file of upstream.
type CollisionError struct {
	// Paths are the paths in the tree.
	Paths []string
}

func (e *CollisionError) Error() string {
	var lines []string
	for _, p := range e.Paths {
		lines = append(lines, "staging/"+StagingPath(p)+" exists upstream as "+p)
	}
	return "the overlay only adds files:\n" + strings.Join(lines, "\n") + "\nmove the change into a patch: docs/patching.md"
}

// Check returns a CollisionError if upstream has one of the files.
func Check(files []File, upstream func(path string) bool) error {
	var taken []string
	for _, f := range files {
		if upstream(f.Path) {
			taken = append(taken, f.Path)
		}
	}
	if len(taken) > 0 {
		return &CollisionError{taken}
	}
	return nil
}
