package verify

import (
	"bytes"
	"context"
	"fmt"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
)

var (
	markdownLink = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading      = regexp.MustCompile(`(?m)^#+ +(.+?)\s*$`)
	fence        = regexp.MustCompile("(?ms)^[ \t]*```.*?^[ \t]*```[ \t]*$")
	makeTarget   = regexp.MustCompile(`(?m)^([a-z0-9][a-z0-9-]*):([^\n]*)`)
	// makeCommand is make and its targets in code, in a line of their own or
	// after a prompt; prose like "make sure" is no command.
	makeCommand = regexp.MustCompile("(?m)(?:`|^[ \t]*(?:\\$ )?|&& )make((?: [a-z0-9][a-z0-9-]*)+)")
)

var links = Check{
	Name: "links",
	What: "links in documents lead to files and headings that exist",
	Mend: "correct the link, or the heading it leads to",
	Run: func(_ context.Context, r *Repository) error {
		var wrong []string
		for _, f := range r.with(".md") {
			prose := fence.ReplaceAll(f.Data, nil)
			for _, m := range markdownLink.FindAllSubmatch(prose, -1) {
				link := string(m[1])
				u, err := url.Parse(link)
				if err != nil {
					wrong = append(wrong, fmt.Sprintf("%s: %q: %v", f.Path, link, err))
					continue
				}
				if u.Scheme != "" {
					continue
				}
				target := f.Path
				if u.Path != "" {
					target = path.Join(path.Dir(f.Path), u.Path)
				}
				if !r.has(target) {
					wrong = append(wrong, fmt.Sprintf("%s: link to %s: no such file %s", f.Path, link, target))
				} else if u.Fragment != "" && !slices.Contains(anchors(r.file(target).Data), u.Fragment) {
					wrong = append(wrong, fmt.Sprintf("%s: link to %s: no such heading in %s", f.Path, link, target))
				}
			}
		}
		return problems(wrong)
	},
}

// anchors are the names that headings of a document get on its page.
func anchors(document []byte) []string {
	var list []string
	for _, m := range heading.FindAllSubmatch(fence.ReplaceAll(document, nil), -1) {
		var b strings.Builder
		for _, c := range strings.ToLower(string(m[1])) {
			switch {
			case c == ' ':
				b.WriteByte('-')
			case c == '-' || c == '_' || c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c > 127:
				b.WriteRune(c)
			}
		}
		list = append(list, b.String())
	}
	return list
}

var targets = Check{
	Name: "targets",
	What: "every target of the Makefile has a line of help, and documents name only targets that exist",
	Mend: "add ## and a few words to the target, or correct the document",
	Run: func(_ context.Context, r *Repository) error {
		known := map[string]bool{}
		var wrong []string
		for _, m := range makeTarget.FindAllSubmatch(r.file("Makefile").Data, -1) {
			known[string(m[1])] = true
			if _, help, ok := bytes.Cut(m[2], []byte("## ")); !ok || len(bytes.TrimSpace(help)) == 0 {
				wrong = append(wrong, fmt.Sprintf("Makefile: %s has no help", m[1]))
			}
		}
		for _, f := range r.with(".md") {
			for _, m := range makeCommand.FindAllSubmatch(f.Data, -1) {
				for target := range strings.FieldsSeq(string(m[1])) {
					if !known[target] {
						wrong = append(wrong, fmt.Sprintf("%s: make %s: no such target", f.Path, target))
					}
				}
			}
		}
		return problems(wrong)
	},
}
