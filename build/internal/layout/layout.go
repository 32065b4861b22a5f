// Package layout knows where things live in the repository and under _output.
package layout

import (
	"fmt"
	"os"
	"path/filepath"
)

// Variant says which tree a step works on.
type Variant string

const (
	// Sidecar is Kubernetes with the patch series and the overlay.
	Sidecar Variant = "sidecar"
	// Stock is Kubernetes as upstream published it, for comparison and for
	// clusters of mixed versions.
	Stock Variant = "stock"
)

// ParseVariant returns the variant of that name, or an error that lists the
// known ones.
func ParseVariant(name string) (Variant, error) {
	switch v := Variant(name); v {
	case Sidecar, Stock:
		return v, nil
	}
	return "", fmt.Errorf("unknown variant %q: want %q or %q", name, Sidecar, Stock)
}

// Layout is a checkout of the repository.
type Layout struct {
	// Root is the absolute path of the folder that holds go.mod.
	Root string
}

// Find returns the layout of the checkout that contains dir.
func Find(dir string) (Layout, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return Layout{}, err
	}
	for d := abs; ; d = filepath.Dir(d) {
		if _, err := os.Stat(filepath.Join(d, "patches", "series")); err == nil {
			return Layout{Root: d}, nil
		}
		if d == filepath.Dir(d) {
			return Layout{}, fmt.Errorf("no checkout found: want a folder with patches/series at or above %s; run the command inside the repository", abs)
		}
	}
}

// Path joins elements below the root of the checkout.
func (l Layout) Path(elem ...string) string {
	return filepath.Join(append([]string{l.Root}, elem...)...)
}

// Output joins elements below _output, the only folder that steps write to.
func (l Layout) Output(elem ...string) string {
	return l.Path(append([]string{"_output"}, elem...)...)
}

// Src is the scratch git repository with the assembled Kubernetes tree.
func (l Layout) Src(v Variant) string { return l.Output(string(v), "src") }

// Bin holds the Kubernetes binaries compiled from Src.
func (l Layout) Bin(v Variant) string { return l.Output(string(v), "bin") }

// Stamps holds one file a finished step, see package step.
func (l Layout) Stamps() string { return l.Output("stamps") }
