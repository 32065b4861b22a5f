// Package replace puts new content in the place of old, whole or not at all.
package replace

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// File writes data to file by way of a temporary file beside it.
func File(file string, data []byte) error {
	tmp := file + ".new"
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(tmp, data, 0o644); err != nil {
		return err
	}
	return os.Rename(tmp, file)
}

// Dir moves the folder with to the place of dir; what was at dir is removed
// afterwards. If the move fails, dir is put back.
func Dir(dir, with string) error {
	old := dir + ".old"
	if err := os.RemoveAll(old); err != nil {
		return err
	}
	err := os.Rename(dir, old)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	existed := err == nil
	if err := os.Rename(with, dir); err != nil {
		if existed {
			return errors.Join(err, os.Rename(old, dir))
		}
		return err
	}
	return os.RemoveAll(old)
}
