// Package phase runs the phases of a test run one after another and sums up
// what they came to.
package phase

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"
)

// Result is what a phase came to, in tests.
type Result struct {
	Passed, Failed, Skipped int
	// Failures names the failed tests.
	Failures []string
}

// Phase is one part of a test run.
type Phase struct {
	// Name is a short word.
	Name string
	// Repeat is the one command that runs this phase again.
	Repeat string
	// Needs names an earlier phase without whose success this one makes no
	// sense; it is then skipped and counts as one failure.
	Needs string
	// Run runs the tests. Failed tests are in the result; an error on top of
	// them means that the phase could not be run to its end, and counts as one
	// failure more.
	Run func(ctx context.Context) (Result, error)
}

// outcome is a phase that has been run.
type outcome struct {
	Phase
	Result
	seconds float64
	err     error
}

func (o outcome) failed() bool { return o.Failed > 0 || o.err != nil }

// Run runs all phases, whatever fails, and ends with a summary: a line for each
// phase with its seconds, the failures with the command that repeats each, and
// a plain last line "N passed, N failed". The error says which phases failed.
func Run(ctx context.Context, phases []Phase, out io.Writer) error {
	var outcomes []outcome
	broken := map[string]bool{}
	for i, p := range phases {
		fmt.Fprintf(out, "\n### %s (%d of %d)\n", p.Name, i+1, len(phases))
		o := outcome{Phase: p}
		start := time.Now()
		switch {
		case ctx.Err() != nil:
			o.err = ctx.Err()
		case broken[p.Needs]:
			o.err = fmt.Errorf("not run, because it needs %s", p.Needs)
		default:
			o.Result, o.err = p.Run(ctx)
		}
		o.seconds = time.Since(start).Seconds()
		if o.err != nil {
			o.Failed++
			o.Failures = append(o.Failures, o.err.Error())
			fmt.Fprintf(out, "%s: %v\n", p.Name, o.err)
		}
		broken[p.Name] = o.failed()
		fmt.Fprintf(out, "### %s: %.0f s\n", p.Name, o.seconds)
		outcomes = append(outcomes, o)
	}
	return summarize(outcomes, out)
}

func summarize(outcomes []outcome, out io.Writer) error {
	fmt.Fprintf(out, "\n### summary\n%-20s %8s %8s %8s %9s\n", "phase", "passed", "failed", "skipped", "seconds")
	var passed, failed int
	var seconds float64
	var names []string
	for _, o := range outcomes {
		fmt.Fprintf(out, "%-20s %8d %8d %8d %9.0f\n", o.Name, o.Passed, o.Failed, o.Skipped, o.seconds)
		passed, failed, seconds = passed+o.Passed, failed+o.Failed, seconds+o.seconds
		if o.failed() {
			names = append(names, o.Name)
		}
	}
	fmt.Fprintf(out, "%.0f s in all\n", seconds)
	for _, o := range outcomes {
		if !o.failed() {
			continue
		}
		fmt.Fprintf(out, "\n%s failed:\n", o.Name)
		for _, f := range o.Failures {
			fmt.Fprintf(out, "  %s\n", strings.ReplaceAll(strings.TrimSpace(f), "\n", "\n    "))
		}
		fmt.Fprintf(out, "  to repeat: %s\n", o.Repeat)
	}
	fmt.Fprintf(out, "\n%d passed, %d failed\n", passed, failed)
	if len(names) > 0 {
		return fmt.Errorf("%s failed", strings.Join(names, ", "))
	}
	return nil
}
