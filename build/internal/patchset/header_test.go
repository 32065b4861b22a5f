package patchset

import (
	"strings"
	"testing"
)

const message = `ducks: be louder

They must be heard
across the pond.

Class: carry
Gate: Pond
Upstream: none
Differs: louder: much
Drop-When: never
Touches-Generated: no
Tests: pkg/ducks
Patch: 0100-ducks-loud
`

func TestParseHeader(t *testing.T) {
	h, err := ParseHeader(message)
	if err != nil {
		t.Fatal(err)
	}
	if h.Subject != "ducks: be louder" || h.Reason != "They must be heard\nacross the pond." || h.Name() != "0100-ducks-loud" || h.Trailers["Differs"] != "louder: much" {
		t.Errorf("header = %+v", h)
	}
	if PatchName(message) != "0100-ducks-loud" || PatchName("fixup! ducks") != "" {
		t.Error("PatchName")
	}
}

func TestParseHeaderRefuses(t *testing.T) {
	for name, c := range map[string]struct{ old, new, want string }{
		"no area":         {"ducks: be", "be", "want <area>: <what>"},
		"long subject":    {"be louder", strings.Repeat("very ", 12) + "loud", "at most 60"},
		"no reason":       {"\nThey must be heard\nacross the pond.\n", "", "want a reason"},
		"missing trailer": {"Gate: Pond\n", "", "want the trailers Class, Gate"},
		"order":           {"Gate: Pond\nUpstream: none\n", "Upstream: none\nGate: Pond\n", "in this order"},
		"empty trailer":   {"Upstream: none", "Upstream:", "trailer Upstream is empty"},
		"unknown class":   {"Class: carry", "Class: keep", `Class "keep": want hook`},
		"neither yes":     {"Touches-Generated: no", "Touches-Generated: maybe", "want yes or no"},
		"name":            {"0100-ducks-loud", "100-ducks", "want four digits"},
		"two lines":       {"Tests: pkg/ducks\n", "Tests: pkg/ducks\n and more\n", `line " and more"`},
		"trailing blank":  {"across the pond.", "across the pond. ", "ends in blanks"},
		"separator":       {"across the pond.", "---", "start of the diff"},
		"no empty line":   {"louder\n\n", "louder\n", "want an empty line after the subject"},
	} {
		t.Run(name, func(t *testing.T) {
			text := strings.Replace(message, c.old, c.new, 1)
			if text == message {
				t.Fatalf("%q is not in the message", c.old)
			}
			_, err := ParseHeader(text)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want one with %q", err, c.want)
			}
		})
	}
}
