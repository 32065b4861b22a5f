// Package disk looks at file systems before much is written to them.
package disk

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"syscall"
)

// Require returns an error that names the folder, what is wanted and what is
// found, if the file system of dir has less than need bytes left for purpose.
// The folder itself need not exist yet.
func Require(dir string, need uint64, purpose string) error {
	var st syscall.Statfs_t
	at := dir
	for {
		err := syscall.Statfs(at, &st)
		if err == nil {
			break
		}
		if !errors.Is(err, fs.ErrNotExist) || at == filepath.Dir(at) {
			return fmt.Errorf("look at free disk space of %s: %w", at, err)
		}
		at = filepath.Dir(at)
	}
	if free := st.Bavail * uint64(st.Bsize); free < need {
		return fmt.Errorf("too little disk space in %s for %s: want %d MiB free, found %d MiB; make room and run the command again", dir, purpose, need>>20, free>>20)
	}
	return nil
}
