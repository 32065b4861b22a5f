package disk

import (
	"math"
	"path/filepath"
	"strings"
	"testing"
)

func TestRequire(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "not", "there", "yet")
	if err := Require(dir, 1, "one byte"); err != nil {
		t.Errorf("one byte: %v", err)
	}
	err := Require(dir, math.MaxUint64, "everything")
	if err == nil {
		t.Fatal("no error although no disk is that large")
	}
	for _, want := range []string{dir, "everything", "want", "found", "MiB"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("error %q does not say %q", err, want)
		}
	}
}
