package verify

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"sidecar-node/build/internal/gotool"
	"sidecar-node/build/internal/layout"
	"sidecar-node/build/internal/pipeline"
)

const (
	apiModule = "staging/src/k8s.io/api"
	// stockExamples are upstream's examples of every kind of object, with every
	// field set, in JSON, YAML and protobuf.
	stockExamples = apiModule + "/testdata/HEAD/"
)

// stockBytesTest is compiled into the tests of module k8s.io/api. Upstream's own test
// of compatibility takes our examples for the present ones; this takes those of stock
// Kubernetes for an earlier version, which has to be read and written byte by byte.
const stockBytesTest = `package api

import (
	"os"
	"testing"

	"k8s.io/apimachinery/pkg/api/apitesting/roundtrip"
	"k8s.io/apimachinery/pkg/runtime"
)

func TestStockBytes(t *testing.T) {
	scheme := runtime.NewScheme()
	for _, builder := range groups {
		if err := builder.AddToScheme(scheme); err != nil {
			t.Fatal(err)
		}
	}
	options := roundtrip.NewCompatibilityTestOptions(scheme)
	options.TestDataDirsPreviousVersions = []string{os.Getenv("STOCK_EXAMPLES")}
	options.Complete(t).Run(t)
}
`

var stockBytes = Check{
	Name:      "stock bytes",
	What:      "objects that do not use the field are read and written byte by byte as stock Kubernetes does",
	Mend:      "hack/sidecarctl verify --only 'stock bytes'",
	NeedsTree: true,
	Run: func(ctx context.Context, r *Repository) error {
		if err := pipeline.Tree(ctx, r.Env, layout.Sidecar); err != nil {
			return err
		}
		tmp, err := os.MkdirTemp("", "stock-bytes-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(tmp)
		examples := filepath.Join(tmp, "examples")
		if err := writeStockExamples(ctx, r, examples); err != nil {
			return err
		}
		source, overlay := filepath.Join(tmp, "stock_test.go"), filepath.Join(tmp, "overlay.json")
		replace, err := json.Marshal(map[string]map[string]string{"Replace": {
			filepath.Join(r.Src(layout.Sidecar), apiModule, "stock_bytes_test.go"): source,
		}})
		if err := errors.Join(err, os.WriteFile(source, []byte(stockBytesTest), 0o644), os.WriteFile(overlay, replace, 0o644)); err != nil {
			return err
		}
		cmd := gotool.Command(ctx, r.Src(layout.Sidecar), "go", "test", "-vet=off", "-count=1", "-v", "-overlay="+overlay, "-run=^TestStockBytes$", "k8s.io/api")
		cmd.Env = append(cmd.Env, "STOCK_EXAMPLES="+examples)
		out, err := gotool.Output(cmd)
		if err != nil {
			return fmt.Errorf("%w\n%s", err, failures(string(out)))
		}
		// The Pod has been among the examples, and not been skipped.
		if want := "--- PASS: TestStockBytes/core.v1.Pod/examples"; !strings.Contains(string(out), want) {
			return fmt.Errorf("the test has not compared the example of a Pod: no line %q", want)
		}
		return nil
	},
}

// failures returns the beginning of what a failed run of go test printed about
// failures.
func failures(out string) string {
	const most = 4000
	if i := strings.Index(out, "--- FAIL"); i > 0 {
		out = out[i:]
	}
	return out[:min(len(out), most)]
}

// writeStockExamples writes upstream's examples into dir.
func writeStockExamples(ctx context.Context, r *Repository, dir string) error {
	repo, commit, err := pristine(ctx, r)
	if err != nil {
		return err
	}
	entries, err := repo.Entries(ctx, commit)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	found := 0
	for name, entry := range entries {
		if !strings.HasPrefix(name, stockExamples) {
			continue
		}
		data, err := repo.Blob(ctx, entry.ID)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, path.Base(name)), data, 0o644); err != nil {
			return err
		}
		found++
	}
	if found == 0 {
		return fmt.Errorf("the untouched tree has nothing below %s", stockExamples)
	}
	return nil
}
