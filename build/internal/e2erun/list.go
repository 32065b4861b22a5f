package e2erun

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// List returns all specs of the suite in the checkout at root without running any.
// Settings is the settings file of the suite.
func List(ctx context.Context, root, settings string) ([]Spec, error) {
	dir, err := os.MkdirTemp("", "specs-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	report := filepath.Join(dir, reportFile)
	cmd := exec.CommandContext(ctx, "go", "test", "-count=1", "./e2e",
		"-args", "-e2e.config="+settings, "-ginkgo.dry-run", "-ginkgo.json-report="+report)
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("list the specs of the cluster suite: %w: %s", err, out)
	}
	return ReadSpecs(report)
}
