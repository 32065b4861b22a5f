package compile

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
)

// Replaced compiles one command, with files of the tree replaced by others while the
// tree stays as it is, and puts the binary, which says that its tree is dirty, and
// what it is made from into dir. Replace maps paths in the tree to contents.
func (b *Build) Replaced(ctx context.Context, command string, replace map[string][]byte, dir string) error {
	base, err := b.Tree.Tree(ctx, b.Base)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	files := map[string]string{}
	for name, data := range replace {
		by := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(by), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(by, data, 0o644); err != nil {
			return err
		}
		files[filepath.Join(b.Tree.Dir, filepath.FromSlash(name))] = by
	}
	data, err := json.MarshalIndent(map[string]any{"Replace": files}, "", "  ")
	if err != nil {
		return err
	}
	overlay := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(overlay, append(data, '\n'), 0o644); err != nil {
		return err
	}
	// The name matters to the check of the version, so that the unfinished file is in a
	// folder of its own.
	tmp := filepath.Join(dir, "new")
	defer os.RemoveAll(tmp)
	file := filepath.Join(tmp, command)
	if err := b.goBuild(ctx, []string{command}, file, b.ldflags(base, "dirty"), "-overlay="+overlay); err != nil {
		return err
	}
	if err := checkVersion(ctx, file, b.Lock.GitVersion(b.Variant)); err != nil {
		return err
	}
	return os.Rename(file, filepath.Join(dir, command))
}
