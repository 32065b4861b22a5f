// Package rootfs makes file trees of Debian packages with mmdebstrap.
package rootfs

import (
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"sigs.k8s.io/yaml"
)

// Spec says what is in a file tree. It is one file of images/rootfs.
type Spec struct {
	// Name is the name of the file without its ending.
	Name string `json:"-"`
	// Suite is the Debian release.
	Suite string `json:"suite"`
	// Variant is the variant of mmdebstrap: essential for a userspace with
	// its package database, extract for nothing but the packages' files.
	Variant string `json:"variant"`
	// Packages are installed with all that they depend on.
	Packages []string `json:"packages"`
	// Drop are patterns of path.Match. What they match is left out.
	Drop []string `json:"drop"`
}

// ReadSpec reads a file of images/rootfs.
func ReadSpec(file string) (*Spec, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	s := &Spec{Name: strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))}
	if err := yaml.UnmarshalStrict(data, s); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if err := s.check(); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return s, nil
}

func (s *Spec) check() error {
	if s.Suite == "" || len(s.Packages) == 0 {
		return errors.New("want a suite and at least one package")
	}
	if s.Variant != "essential" && s.Variant != "extract" {
		return fmt.Errorf("variant %q: want essential or extract", s.Variant)
	}
	for _, d := range s.Drop {
		if _, err := path.Match(d, ""); err != nil || !strings.HasPrefix(d, "/") {
			return fmt.Errorf("drop: %q: want an absolute path or pattern", d)
		}
	}
	return nil
}
