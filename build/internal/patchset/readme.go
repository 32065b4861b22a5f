package patchset

import (
	"fmt"
	"strings"
)

// Readme returns patches/README.md: a table of the series, made from the
// headers.
func Readme(patches []*Patch) ([]byte, error) {
	var b strings.Builder
	b.WriteString(`# The patch series

Changes of the distribution to files of Kubernetes, one concern a patch, applied in the order of ` + "`series`" + `. Patches quote
one line of context of Kubernetes, which is under the Apache License 2.0.

This table is written by ` + "`sidecarctl export`" + ` from the headers of the patches. Never edit a patch by hand:
[docs/patching.md](../docs/patching.md) shows how.

| patch | what | class | gate | upstream | differs from upstream | drop when | files | lines |
|---|---|---|---|---|---|---|---|---|
`)
	for _, p := range patches {
		h, err := ParseHeader(p.Message)
		if err != nil {
			return nil, fmt.Errorf("patch %s: %w", p.Name, err)
		}
		var added, removed int64
		for _, f := range p.Files {
			for _, t := range f.TextFragments {
				added += t.LinesAdded
				removed += t.LinesDeleted
			}
		}
		t := h.Trailers
		cells := []string{
			fmt.Sprintf("[%s](%s%s)", p.Name, p.Name, Suffix), h.Subject, t["Class"], t["Gate"], t["Upstream"],
			t["Differs"], t["Drop-When"], fmt.Sprint(len(p.Files)), fmt.Sprintf("+%d -%d", added, removed),
		}
		for i, c := range cells {
			cells[i] = strings.ReplaceAll(c, "|", `\|`)
		}
		b.WriteString("| " + strings.Join(cells, " | ") + " |\n")
	}
	return []byte(b.String()), nil
}
