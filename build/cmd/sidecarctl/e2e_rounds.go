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
// together came to. With more than one it prints a line for each, and do is told by
// what suffix to keep what belongs to the round.
func eachRound(rounds int, out io.Writer, do func(suffix string) (e2erun.Summary, error)) (e2erun.Summary, error) {
	if rounds == 1 {
		return do("")
	}
	var total e2erun.Summary
	var errs []error
	for round := 1; round <= rounds; round++ {
		start := time.Now()
		summary, err := do(fmt.Sprintf("-round-%d", round))
		fmt.Fprintf(out, "==> round %d of %d: %s, %.0f s\n", round, rounds, summary, time.Since(start).Seconds())
		if err != nil {
			errs = append(errs, fmt.Errorf("round %d: %w", round, err))
		}
		total = total.Add(summary)
		if errors.Is(err, context.Canceled) {
			break
		}
	}
	fmt.Fprintf(out, "==> %d of %d rounds failed\n", len(errs), rounds)
	return total, errors.Join(errs...)
}

// runGates runs the suite once for each state of the gate. What a failed run leaves in
// its output gets the suffix, unless that is empty, so that the next round does not
// replace it.
func (e *environment) runGates(ctx context.Context, run e2erun.Run, gates []e2erun.Gate, given bool, suffix string) (e2erun.Summary, error) {
	var total e2erun.Summary
	var errs []error
	for _, g := range gates {
		summary, err := e.runE2E(ctx, run, g, given)
		total = total.Add(summary)
		if err != nil && suffix != "" {
			err = errors.Join(err, keep(e.suiteOutput(g), suffix))
		}
		errs = append(errs, err)
	}
	return total, errors.Join(errs...)
}

// keep gives a folder, if it is there, another name, in place of what had it before.
func keep(folder, suffix string) error {
	if !exists(folder) {
		return nil
	}
	if err := os.RemoveAll(folder + suffix); err != nil {
		return err
	}
	return os.Rename(folder, folder+suffix)
}

// suiteOutput is where the suite leaves its reports. Those of each state of the gate
// are beside the others, so that all stay.
func (e *environment) suiteOutput(gate e2erun.Gate) string {
	if gate == e2erun.GateOn {
		return e.Output("e2e")
	}
	return e.Output("e2e-gate-" + string(gate))
}
