package pipeline

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// inputs is a digest of what the sidecar tree is made from: the upstream
// lock, the series and the overlay.
func inputs(env Env) (string, error) {
	h := sha256.New()
	add := func(root string, want func(name string) bool) error {
		err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !want(d.Name()) {
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
			rel, err := filepath.Rel(env.Root, p)
			fmt.Fprintf(h, "%q %v %x\n", rel, info.Mode()&0o111 != 0, sha256.Sum256(data))
			return err
		})
		if os.IsNotExist(err) {
			return nil
		}
		return err
	}
	series := func(name string) bool {
		return strings.HasSuffix(name, ".patch") || name == "series" || name == "upstream.lock"
	}
	if err := add(env.Path("patches"), series); err != nil {
		return "", err
	}
	if err := add(env.Path("staging", "k8s.io"), func(string) bool { return true }); err != nil {
		return "", err
	}
	return fmt.Sprintf("%x", h.Sum(nil)), nil
}
