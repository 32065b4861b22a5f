package verify

import (
	"strings"
	"testing"

	"sidecar-node/build/internal/e2erun"
)

func TestUnknownSpecs(t *testing.T) {
	specs := []e2erun.Spec{{Name: "start order waits"}, {Name: "shutdown stops last"}}
	for text, want := range map[string]string{
		"| yes | spec `order waits` |\n| yes | spec `stops last` |": "",
		"| yes | spec `stops first` |":                              `no spec has "stops first"`,
		"| yes | by design |":                                       "found none",
	} {
		got := strings.Join(unknownSpecs(text, specs), "\n")
		if (want == "") != (got == "") || !strings.Contains(got, want) {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}
