package e2erun

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
)

// Logged runs the suite with what it prints in a file, and returns the specs that have
// run. That some have failed is no error.
func (r Run) Logged(ctx context.Context, file string) ([]Spec, error) {
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return nil, err
	}
	log, err := os.Create(file)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	r.Out = log
	// Its error says that specs have failed, or that there is no report.
	_, runErr := r.Do(ctx)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	ran, err := r.Specs()
	if err != nil {
		return nil, fmt.Errorf("the suite ended without a report, see %s: %w", file, runErr)
	}
	return ran, nil
}
