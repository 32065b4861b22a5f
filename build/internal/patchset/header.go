package patchset

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// Header is the commit message of a patch: what it does, why, and the answers
// to a fixed list of questions.
type Header struct {
	// Subject is "<area>: <what>".
	Subject string
	// Reason is the text between subject and trailers.
	Reason string
	// Trailers holds the value of each trailer by its key.
	Trailers map[string]string
}

// Trailers in the order in which a header must hold them.
var trailers = []string{"Class", "Gate", "Upstream", "Differs", "Drop-When", "Touches-Generated", "Tests", "Patch"}

// classes of patches: hook calls code of ours, carry changes behaviour,
// backport is taken from a later upstream, drop goes away with the next
// upstream version.
var classes = []string{"hook", "carry", "backport", "drop"}

const subjectLimit = 60

var (
	subjectForm = regexp.MustCompile(`^[a-z0-9][a-z0-9-]*: \S`)
	nameForm    = regexp.MustCompile(`^[0-9]{4}-[a-z0-9]+(-[a-z0-9]+)+$`)
	trailerForm = regexp.MustCompile(`^([A-Z][A-Za-z-]*):(.*)$`)
)

// Name is the name of the patch, from its Patch trailer: the file is named
// after it, with .patch at the end.
func (h *Header) Name() string { return h.Trailers["Patch"] }

// PatchName returns the value of the Patch trailer in a commit message, or ""
// if there is none.
func PatchName(message string) string {
	for line := range strings.Lines(message) {
		if v, ok := strings.CutPrefix(line, "Patch:"); ok {
			return strings.TrimSpace(v)
		}
	}
	return ""
}

// ParseHeader parses a commit message and checks that it is complete. The
// error lists everything that is wrong with it.
func ParseHeader(message string) (*Header, error) {
	lines := strings.Split(strings.TrimSuffix(message, "\n"), "\n")
	h := &Header{Subject: lines[0], Trailers: map[string]string{}}
	var errs []error
	if !subjectForm.MatchString(h.Subject) {
		errs = append(errs, fmt.Errorf("subject %q: want <area>: <what>", h.Subject))
	}
	if n := utf8.RuneCountInString(h.Subject); n > subjectLimit {
		errs = append(errs, fmt.Errorf("subject %q: want at most %d characters, found %d", h.Subject, subjectLimit, n))
	}
	// The trailers are the last paragraph.
	start := len(lines)
	for start > 1 && lines[start-1] != "" {
		start--
	}
	var keys []string
	for _, l := range lines[start:] {
		m := trailerForm.FindStringSubmatch(l)
		if m == nil {
			errs = append(errs, fmt.Errorf("line %q among the trailers: want <Key>: <value> on one line", l))
			continue
		}
		keys = append(keys, m[1])
		h.Trailers[m[1]] = strings.TrimSpace(m[2])
		if h.Trailers[m[1]] == "" {
			errs = append(errs, fmt.Errorf("trailer %s is empty", m[1]))
		}
	}
	if !slices.Equal(keys, trailers) {
		errs = append(errs, fmt.Errorf("want the trailers %s in this order, found %s", strings.Join(trailers, ", "), list(keys)))
	} else {
		errs = append(errs, h.checkValues()...)
	}
	if start > 1 {
		h.Reason = strings.Trim(strings.Join(lines[1:start], "\n"), "\n")
	}
	if h.Reason == "" {
		errs = append(errs, errors.New("want a reason between subject and trailers"))
	} else if lines[1] != "" {
		errs = append(errs, errors.New("want an empty line after the subject"))
	}
	if slices.ContainsFunc(lines, func(l string) bool { return l == "---" || strings.HasPrefix(l, "diff --git ") }) {
		errs = append(errs, errors.New("a line of the message would be taken for the start of the diff"))
	}
	if slices.ContainsFunc(lines, func(l string) bool { return l != strings.TrimRight(l, " \t\r") }) {
		errs = append(errs, errors.New("a line of the message ends in blanks"))
	}
	return h, errors.Join(errs...)
}

func (h *Header) checkValues() []error {
	var errs []error
	if c := h.Trailers["Class"]; !slices.Contains(classes, c) {
		errs = append(errs, fmt.Errorf("Class %q: want %s", c, strings.Join(classes, ", ")))
	}
	if g := h.Trailers["Touches-Generated"]; g != "yes" && g != "no" {
		errs = append(errs, fmt.Errorf("Touches-Generated %q: want yes or no", g))
	}
	if n := h.Name(); !nameForm.MatchString(n) {
		errs = append(errs, fmt.Errorf("Patch %q: want four digits, an area and a slug, such as 0200-api-lifecycle-type", n))
	}
	return errs
}

func list(words []string) string {
	if len(words) == 0 {
		return "none"
	}
	return strings.Join(words, ", ")
}
