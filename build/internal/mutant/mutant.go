// Package mutant asks whether the cluster suite catches faults. A mutant is the
// distribution with one hook of the series reverted. Its binary takes the place of the
// one in a running cluster, and the specs that guard the hook have to fail.
package mutant

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"
)

// Mutant is a small change of the sidecar tree that reverts one hook.
type Mutant struct {
	// Name is made of small letters and dashes.
	Name string `json:"name"`
	// Breaks is what no longer holds, as a clause.
	Breaks string `json:"breaks"`
	// Component is the binary that is changed, one of Components.
	Component string `json:"component"`
	// Changes are made to the tree, each to a file of its own or one after another.
	Changes []Change `json:"changes"`
	// Specs are parts of the names of the specs that have to fail, each of which has
	// to be found in a spec of its own.
	Specs []string `json:"specs"`
}

// Change replaces a text in a file.
type Change struct {
	// File is the path in the tree.
	File string `json:"file"`
	// Find must occur once in the file.
	Find string `json:"find"`
	// Replace takes its place.
	Replace string `json:"replace"`
}

// Components are the binaries that a mutant may change. All but the kubelet are static
// pods.
var Components = []string{kubelet, "kube-apiserver", "kube-controller-manager", "kube-scheduler"}

const kubelet = "kubelet"

// Control is the name of the run with nothing changed.
const Control = "none"

var nameForm = regexp.MustCompile(`^[a-z][a-z0-9]*(-[a-z0-9]+)*$`)

// Load reads a list of mutants and refuses unknown keys, missing ones and names that
// are taken.
func Load(file string) ([]Mutant, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("list of mutants: %w", err)
	}
	var list struct {
		Mutants []Mutant `json:"mutants"`
	}
	if err := yaml.UnmarshalStrict(data, &list); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if len(list.Mutants) == 0 {
		return nil, fmt.Errorf("%s: want mutants, found none", file)
	}
	var errs []error
	names := []string{Control}
	for i, m := range list.Mutants {
		if err := m.check(); err != nil {
			errs = append(errs, fmt.Errorf("%s: mutant %d (%s): %w", file, i+1, m.Name, err))
		}
		if slices.Contains(names, m.Name) {
			errs = append(errs, fmt.Errorf("%s: mutant %d: the name %q is taken", file, i+1, m.Name))
		}
		names = append(names, m.Name)
	}
	return list.Mutants, errors.Join(errs...)
}

// check returns an error unless the form of the mutant is right.
func (m Mutant) check() error {
	switch {
	case !nameForm.MatchString(m.Name):
		return errors.New("name: want small letters, digits and dashes")
	case m.Breaks == "" || strings.ContainsAny(m.Breaks, "|\n") || strings.HasSuffix(m.Breaks, "."):
		return errors.New("breaks: want a clause without a full stop, in one line and without |, as it goes into a table")
	case !slices.Contains(Components, m.Component):
		return fmt.Errorf("component %q: want one of %s", m.Component, strings.Join(Components, ", "))
	case len(m.Changes) == 0:
		return errors.New("changes: want at least one")
	case len(m.Specs) == 0 || slices.Contains(m.Specs, ""):
		return errors.New("specs: want a part of the name of each spec that has to fail")
	}
	for _, c := range m.Changes {
		if !filepath.IsLocal(filepath.FromSlash(c.File)) || !strings.HasSuffix(c.File, ".go") {
			return fmt.Errorf("file %q: want the path of a Go file in the tree", c.File)
		}
		if c.Find == "" || c.Find == c.Replace {
			return fmt.Errorf("find %q: want a text that the change replaces by another", c.Find)
		}
	}
	return nil
}

// Files returns the files of the tree at dir that the mutant changes, as they become,
// by their path in the tree.
func (m Mutant) Files(dir string) (map[string][]byte, error) {
	files := map[string][]byte{}
	for _, c := range m.Changes {
		data, ok := files[c.File]
		if !ok {
			var err error
			if data, err = os.ReadFile(filepath.Join(dir, filepath.FromSlash(c.File))); err != nil {
				return nil, fmt.Errorf("mutant %s: %w: the series has moved the hook; name its file in e2e/mutants.yaml", m.Name, err)
			}
		}
		if n := strings.Count(string(data), c.Find); n != 1 {
			return nil, fmt.Errorf("mutant %s: %s has the text %q %d times, want once: the series has changed; make it in e2e/mutants.yaml what the hook looks like in the tree now", m.Name, c.File, c.Find, n)
		}
		files[c.File] = []byte(strings.Replace(string(data), c.Find, c.Replace, 1))
	}
	return files, nil
}

// Choose returns the mutants with the given names, all if there are none.
func Choose(all []Mutant, names []string) ([]Mutant, error) {
	if len(names) == 0 {
		return all, nil
	}
	var chosen []Mutant
	for _, name := range names {
		i := slices.IndexFunc(all, func(m Mutant) bool { return m.Name == name })
		if i < 0 {
			return nil, fmt.Errorf("no mutant %q: make e2e-mutants ARGS=--list lists them", name)
		}
		chosen = append(chosen, all[i])
	}
	return chosen, nil
}
