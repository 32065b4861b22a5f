package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"sidecar-node/build/internal/e2erun"
)

// eachRound calls do so many times, whatever comes of it, and returns what all rounds
// together came to. With more than one it prints a line for each, and do is told the
// suffix by which the output of the round differs from that of the others. It ends when
// ctx does.
func eachRound(ctx context.Context, rounds int, out io.Writer, do func(suffix string) (e2erun.Summary, error)) (e2erun.Summary, error) {
	if rounds == 1 {
		return do("")
	}
	var total e2erun.Summary
	var errs []error
	for round := 1; round <= rounds && ctx.Err() == nil; round++ {
		start := time.Now()
		summary, err := do(fmt.Sprintf("-round-%d", round))
		fmt.Fprintf(out, "==> round %d of %d: %s, %.0f s\n", round, rounds, summary, time.Since(start).Seconds())
		if err != nil {
			errs = append(errs, fmt.Errorf("round %d: %w", round, err))
		}
		total = total.Add(summary)
	}
	fmt.Fprintf(out, "==> %d of %d rounds failed\n", len(errs), rounds)
	return total, errors.Join(errs...)
}

// runGates runs the suite once for each state of the gate. The outputs get the suffix;
// those of rounds that have passed, which have one, are removed.
func (e *environment) runGates(ctx context.Context, run e2erun.Run, gates []e2erun.Gate, given bool, suffix string) (e2erun.Summary, error) {
	var total e2erun.Summary
	var errs []error
	for _, g := range gates {
		if ctx.Err() != nil {
			break
		}
		run.Output = e.suiteOutput(g) + suffix
		summary, err := e.runE2E(ctx, run, g, given)
		total = total.Add(summary)
		errs = append(errs, err, dropPassed(run.Output, suffix, err))
	}
	return total, errors.Join(errs...)
}

// dropPassed removes the output of a round that has passed, if it is one of several.
func dropPassed(output, suffix string, err error) error {
	if err != nil || suffix == "" {
		return nil
	}
	return os.RemoveAll(output)
}

// suiteOutput is where the suite leaves its reports. Those of each state of the gate
// are beside the others, so that all stay.
func (e *environment) suiteOutput(gate e2erun.Gate) string {
	if gate == e2erun.GateOn {
		return e.Output("e2e")
	}
	return e.Output("e2e-gate-" + string(gate))
}
