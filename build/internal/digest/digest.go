// Package digest hashes files and folders, for keys that change with their content.
package digest

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Files hashes files, each once. The zero value is ready for use; files must not
// change while it is in use.
type Files struct {
	known map[string]string
}

// File returns the hash, in hexadecimal, of the file's content.
func (d *Files) File(name string) (string, error) {
	if known, ok := d.known[name]; ok {
		return known, nil
	}
	hash, err := File(name)
	if err != nil {
		return "", err
	}
	if d.known == nil {
		d.known = map[string]string{}
	}
	d.known[name] = hash
	return hash, nil
}

// File returns the SHA-256, in hexadecimal, of the file's content.
func File(name string) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// Folder returns a hash, in hexadecimal, of the names, kinds, run bits and contents below dir.
func (d *Files) Folder(dir string) (string, error) {
	h := sha256.New()
	err := filepath.WalkDir(dir, func(file string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, file)
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		content := ""
		switch {
		case e.Type()&fs.ModeSymlink != 0:
			content, err = os.Readlink(file)
		case e.Type().IsRegular():
			content, err = d.File(file)
		}
		fmt.Fprintf(h, "%s %s %t %s\n", rel, e.Type(), info.Mode()&0o100 != 0, content)
		return err
	})
	return hex.EncodeToString(h.Sum(nil)), err
}
