package patchset

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// SeriesFile is the file that lists the patches in the order in which they
// are applied.
const SeriesFile = "series"

// Series is the list of patches with the comments in it.
type Series struct {
	// Names of the patches, in order, without suffix.
	Names []string
	// before holds the comment and empty lines above a name.
	before map[string]string
	// after holds those below the last name.
	after string
}

// ReadSeries reads the series of the folder dir. A missing file is an empty
// series.
func ReadSeries(dir string) (*Series, error) {
	data, err := os.ReadFile(filepath.Join(dir, SeriesFile))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	s := &Series{before: map[string]string{}}
	comment := ""
	for line := range strings.Lines(string(data)) {
		name := strings.TrimSuffix(line, "\n")
		if name == "" || strings.HasPrefix(name, "#") {
			comment += name + "\n"
			continue
		}
		if !nameForm.MatchString(name) {
			return nil, fmt.Errorf("patches/series: line %q: want the name of a patch without .patch, such as 0200-api-lifecycle-type, or a comment", name)
		}
		s.Names = append(s.Names, name)
		s.before[name] += comment
		comment = ""
	}
	s.after = comment
	return s, nil
}

// With returns the file for a list of names; comments stay above the names
// that they stood above.
func (s *Series) With(names []string) []byte {
	var b strings.Builder
	for _, n := range names {
		b.WriteString(s.before[n])
		b.WriteString(n + "\n")
	}
	b.WriteString(s.after)
	return []byte(b.String())
}

// Load reads the series and all of its patches.
func Load(dir string) ([]*Patch, error) {
	s, err := ReadSeries(dir)
	if err != nil {
		return nil, err
	}
	var patches []*Patch
	for _, n := range s.Names {
		p, err := Read(dir, n)
		if err != nil {
			return nil, err
		}
		patches = append(patches, p)
	}
	return patches, nil
}
