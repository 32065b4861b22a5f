// Package verify checks the repository itself: that it holds nothing but our
// own words, that the patches are sound, that generated code can be made again
// and that the documents tell the truth about names.
package verify

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"sidecar-node/build/internal/e2erun"
	"sidecar-node/build/internal/pipeline"
)

// Check is one property of the repository.
type Check struct {
	// Name is a short word for the summary.
	Name string
	// What is the property, as a sentence without its full stop.
	What string
	// Mend is the one command that mends a failure, or shows more of it where
	// only a person can mend it.
	Mend string
	// NeedsTree tells that the check compares with the untouched tree, which
	// must have been assembled.
	NeedsTree bool
	// Run returns an error that names every place where the property doesn't
	// hold.
	Run func(ctx context.Context, r *Repository) error
}

// Repository is the checkout with everything that checks need.
type Repository struct {
	pipeline.Env
	// Files are the files that are, or would be, committed.
	Files []File

	listed []e2erun.Spec
}

// specs returns the specs of the cluster suite, which are listed once.
func (r *Repository) specs(ctx context.Context) ([]e2erun.Spec, error) {
	if r.listed != nil {
		return r.listed, nil
	}
	var err error
	r.listed, err = e2erun.List(ctx, r.Root, r.Path("e2e", "config", "default.yaml"))
	return r.listed, err
}

// Result is the outcome of a check.
type Result struct {
	Check
	Seconds float64
	Err     error
}

// All returns every check, the quick ones first.
func All() []Check {
	return []Check{
		goFormat,
		shell,
		names,
		links,
		targets,
		licence,
		patchForm,
		goVet,
		goTidy,
		roundTrip,
		ownFiles,
		ownLines,
		generatedCode,
		stockBytes,
		goClient,
		apiDocuments,
		mutants,
		comparison,
	}
}

// Run runs the checks one after another and writes a line for each, and what
// is wrong below it. All checks run, whatever fails before.
func Run(ctx context.Context, r *Repository, checks []Check, out io.Writer) []Result {
	var results []Result
	for _, c := range checks {
		start := time.Now()
		err := c.Run(ctx, r)
		res := Result{c, time.Since(start).Seconds(), err}
		results = append(results, res)
		verdict := "ok"
		if err != nil {
			verdict = "FAIL"
		}
		fmt.Fprintf(out, "%-5s %-15s %6.1f s  %s\n", verdict, c.Name, res.Seconds, c.What)
		if err != nil {
			fmt.Fprintf(out, "%v\nto mend: %s\n", err, c.Mend)
		}
		if ctx.Err() != nil {
			break
		}
	}
	return results
}

// Summary writes one closing line and returns an error that names the failed
// checks.
func Summary(out io.Writer, results []Result) error {
	var failed []string
	var seconds float64
	for _, r := range results {
		seconds += r.Seconds
		if r.Err != nil {
			failed = append(failed, r.Name)
		}
	}
	fmt.Fprintf(out, "verify: %d passed, %d failed, %.0f s\n", len(results)-len(failed), len(failed), seconds)
	if len(failed) == 0 {
		return nil
	}
	return fmt.Errorf("verify: %s failed\nto repeat: hack/sidecarctl verify --only %q", strings.Join(failed, ", "), strings.Join(failed, ","))
}
