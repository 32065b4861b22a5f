package git

import (
	"context"
	"os"
	"path/filepath"
	"strings"
)

// WorkTree returns the id of the tree that the working tree holds right now,
// with uncommitted changes and new files that are not ignored. Index and
// branches stay untouched.
func (r Repo) WorkTree(ctx context.Context) (string, error) {
	dir, err := os.MkdirTemp("", "sidecarctl-index-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	// A copy of the index keeps what git knows about unchanged files.
	gitDir, err := r.Run(ctx, "rev-parse", "--absolute-git-dir")
	if err != nil {
		return "", err
	}
	data, err := os.ReadFile(filepath.Join(gitDir, "index"))
	if err != nil {
		return "", err
	}
	index := filepath.Join(dir, "index")
	if err := os.WriteFile(index, data, 0o600); err != nil {
		return "", err
	}
	if _, err := r.Do(ctx, Call{Args: []string{"add", "-A", "."}, Index: index}); err != nil {
		return "", err
	}
	out, err := r.Do(ctx, Call{Args: []string{"write-tree"}, Index: index})
	return strings.TrimSpace(string(out)), err
}
