package microbench

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func write(t *testing.T, name, text string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return name
}

const bench = `package duck

import "testing"

var sink []byte

func BenchmarkEgg(b *testing.B) {
	for b.Loop() {
		sink = make([]byte, Size)
	}
}
`

// tree makes a tree with package duck. The benchmark comes from elsewhere, as
// ours does for the stock tree.
func tree(t *testing.T, name, size string) Variant {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "go.mod"), "module duck\n\ngo 1.24\n")
	write(t, filepath.Join(dir, "go.work"), "go 1.24\n\nuse .\n")
	write(t, filepath.Join(dir, "duck", "duck.go"), "package duck\n\nconst Size = "+size+"\n")
	return Variant{Name: name, Tree: dir, Replace: map[string]string{"duck/egg_test.go": write(t, filepath.Join(t.TempDir(), "egg_test.go"), bench)}}
}

func TestRunComparesTrees(t *testing.T) {
	variants := []Variant{tree(t, "small", "64"), tree(t, "large", "128")}
	r, err := Run(context.Background(), variants, []Benchmarks{{Package: "duck", Pattern: "Egg"}}, Options{Rounds: 2, Time: "100x", Progress: io.Discard})
	if err != nil {
		t.Fatal(err)
	}
	for unit, want := range map[string]map[string]float64{"B/op": {"small": 64, "large": 128}, "allocs/op": {"small": 1, "large": 1}} {
		for variant, value := range want {
			found := false
			for name, units := range r {
				found = strings.HasPrefix(name, "Egg")
				if got := units[unit][variant]; len(got) != 2 || got[0] != value {
					t.Errorf("%s %s in %s: %v, want twice %v", name, unit, variant, got, value)
				}
			}
			if !found {
				t.Errorf("no result for Egg in %v", r)
			}
		}
	}
	var out strings.Builder
	r.Write(&out, []string{"small", "large"})
	if !strings.Contains(out.String(), "2.000") {
		t.Errorf("no ratio of 2 in\n%s", &out)
	}
}

func TestRunOfNothingFails(t *testing.T) {
	_, err := Run(context.Background(), []Variant{tree(t, "small", "64")}, []Benchmarks{{Package: "duck", Pattern: "Goose"}}, Options{Rounds: 1, Time: "1x", Progress: io.Discard})
	if err == nil || !strings.Contains(err.Error(), "no benchmark") {
		t.Errorf("got %v", err)
	}
}

func TestTreeThatDoesNotCompileIsNamed(t *testing.T) {
	v := tree(t, "broken", "sixty")
	_, err := Run(context.Background(), []Variant{v}, []Benchmarks{{Package: "duck", Pattern: "Egg"}}, Options{Rounds: 1, Time: "1x", Progress: io.Discard})
	if err == nil || !strings.Contains(err.Error(), "sixty") {
		t.Errorf("got %v", err)
	}
}
