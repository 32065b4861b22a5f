package verify

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"go/format"
	"os/exec"
	"strings"
)

var goFormat = Check{
	Name: "format",
	What: "Go files are formatted, those of the overlay included",
	Mend: "gofmt -w build e2e images staging",
	Run: func(_ context.Context, r *Repository) error {
		var wrong []string
		for _, f := range r.with(".go") {
			if strings.Contains(f.Path, "/testdata/") {
				continue
			}
			formatted, err := format.Source(f.Data)
			switch {
			case err != nil:
				wrong = append(wrong, fmt.Sprintf("%s: %v", f.Path, err))
			case !bytes.Equal(formatted, f.Data):
				wrong = append(wrong, f.Path+": not formatted")
			}
		}
		return problems(wrong)
	},
}

var goVet = Check{
	Name: "vet", What: "go vet finds nothing", Mend: "go vet ./...",
	Run: func(ctx context.Context, r *Repository) error { return goCommand(ctx, r, "vet", "./...") },
}

var goTidy = Check{
	Name: "tidy", What: "go.mod and go.sum list what is used and nothing else", Mend: "go mod tidy",
	Run: func(ctx context.Context, r *Repository) error { return goCommand(ctx, r, "mod", "tidy", "-diff") },
}

// maxOutputLines bounds what a failed command adds to the report.
const maxOutputLines = 40

func goCommand(ctx context.Context, r *Repository, args ...string) error {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = r.Root
	out, err := cmd.CombinedOutput()
	if err == nil {
		return nil
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if over := len(lines) - maxOutputLines; over > 0 {
		lines = append(lines[:maxOutputLines], fmt.Sprintf("(%d more lines)", over))
	}
	return errors.New(strings.Join(lines, "\n"))
}
