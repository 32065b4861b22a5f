package lifecycle

import (
	"strings"
	"testing"
)

func TestSameLines(t *testing.T) {
	want := []string{"one", "two"}
	for _, c := range []struct{ text, err string }{
		{"noise\nlog: one\nnoise\nlog: two\n", ""},
		{"log: one\nlog: two", ""},
		{"", `0 of 2 lines have arrived; the next would be "one"`},
		{"log: one\n", `1 of 2 lines have arrived; the next would be "two"`},
		{"log: two\nlog: one\n", `line 1 is "two", want "one"`},
		{"log: one\nlog: one\nlog: two\n", `line 2 is "one", want "two"`},
		{"log: one\nlog: two\nlog: two\n", `after all 2 lines there is one more: "two"`},
	} {
		err := sameLines(c.text, "log: ", want)
		if (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%q: got %v, want %q", c.text, err, c.err)
		}
	}
}
