package patchset

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"strings"
)

// TreeLock is the content of patches/tree.lock: the git tree ids that the
// steps must arrive at. It makes a change of any byte of the tree visible in
// review, and shows at which step a build went another way.
type TreeLock struct {
	// Pristine is the tree of upstream.
	Pristine string
	// Patches holds the tree after each patch, in order.
	Patches []PatchTree
	// Overlay is the tree with the files of staging/ added.
	Overlay string
	// Generated is the tree with the generated code on top. It is empty after
	// an export until the code has been generated.
	Generated string
}

// PatchTree is the tree after a patch.
type PatchTree struct{ Name, Tree string }

var treeLine = regexp.MustCompile(`^(pristine|overlay|generated|patch [0-9a-z-]+) ([0-9a-f]{40})$`)

// ReadTreeLock reads the file. A missing file is an empty lock.
func ReadTreeLock(file string) (*TreeLock, error) {
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return &TreeLock{}, nil
	}
	if err != nil {
		return nil, err
	}
	l, err := parseTreeLock(string(data))
	if err != nil {
		return nil, fmt.Errorf("%s:%w", file, err)
	}
	return l, nil
}

func parseTreeLock(text string) (*TreeLock, error) {
	l := &TreeLock{}
	n := 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimSuffix(line, "\n")
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		m := treeLine.FindStringSubmatch(line)
		if m == nil {
			return nil, fmt.Errorf("%d: unknown line %q: want pristine, patch <name>, overlay or generated and a tree id of 40 digits", n, line)
		}
		// The order of the lines is the order of the steps.
		ordered := true
		switch key, id := m[1], m[2]; key {
		case "pristine":
			ordered = l.Pristine == "" && len(l.Patches) == 0 && l.Overlay == "" && l.Generated == ""
			l.Pristine = id
		case "overlay":
			ordered = l.Overlay == "" && l.Generated == ""
			l.Overlay = id
		case "generated":
			ordered = l.Generated == ""
			l.Generated = id
		default:
			ordered = l.Overlay == "" && l.Generated == ""
			l.Patches = append(l.Patches, PatchTree{strings.TrimPrefix(key, "patch "), id})
		}
		if !ordered {
			return nil, fmt.Errorf("%d: line %q is repeated or out of order: want pristine, the patches, overlay, generated", n, line)
		}
	}
	return l, nil
}

// Format returns the file for the lock.
func (l *TreeLock) Format() []byte {
	var b strings.Builder
	b.WriteString("# Git tree ids after each step, written by `sidecarctl export` and `sidecarctl generate`.\n")
	line := func(key, id string) {
		if id != "" {
			fmt.Fprintf(&b, "%s %s\n", key, id)
		}
	}
	line("pristine", l.Pristine)
	for _, p := range l.Patches {
		line("patch "+p.Name, p.Tree)
	}
	line("overlay", l.Overlay)
	line("generated", l.Generated)
	return []byte(b.String())
}

// Check compares the trees of applied patches and of the overlay with the
// lock. Steps that the lock does not name are not compared.
func (l *TreeLock) Check(applied []Applied, overlay string) error {
	for i, a := range applied {
		if i < len(l.Patches) {
			if want := l.Patches[i]; want.Name != a.Name || want.Tree != a.Tree {
				return &TreeError{"patch " + a.Name, want.Tree, a.Tree}
			}
		} else if l.Overlay != "" {
			return &TreeError{"patch " + a.Name, "", a.Tree}
		}
	}
	if l.Overlay != "" && (len(applied) < len(l.Patches) || l.Overlay != overlay) {
		return &TreeError{"overlay", l.Overlay, overlay}
	}
	return nil
}

// TreeError says that a step did not arrive at the tree of the lock.
type TreeError struct {
	// Step is the step as the lock names it.
	Step string
	// Want is the tree id of the lock, Found the one that came out.
	Want, Found string
}

func (e *TreeError) Error() string {
	want := e.Want
	if want == "" {
		want = "none"
	}
	return fmt.Sprintf(`the tree after %q differs from patches/tree.lock: want %s, found %s
what changed since the lock was written: git log -p "$(git log -1 --format=%%h -- patches/tree.lock).." -- patches staging
if the new result is the wanted one: hack/sidecarctl apply --relock`, e.Step, want, e.Found)
}
