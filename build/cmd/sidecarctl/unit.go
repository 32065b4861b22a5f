package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"sidecar-node/build/internal/layout"
	"sidecar-node/build/internal/pipeline"
	"sidecar-node/build/internal/unit"
)

func init() {
	commands = append(commands, unitCommand)
}

func unitCommand(env *environment) *cobra.Command {
	gate := "both"
	var list, wide bool
	cmd := &cobra.Command{
		Use:   "unit [package...]",
		Short: "Run upstream's tests of every package that the series touches, with the gate off and on",
		Long: `Unit runs, in the scratch repository, the tests of every package in which the
series, the overlay or the generated code changes a file; or those of the
packages given. With --wide it takes all packages around, which could notice the
feature at all: several hundred, an hour on two cores. Tests that fail are run again by themselves, and on the stock
tree: those that fail there too are named and counted apart.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			gates := []string{gate}
			if gate == "both" {
				gates = unit.GateStates
			} else if !slices.Contains(unit.GateStates, gate) {
				return fmt.Errorf("unknown state of the gate %q: want off, on or both", gate)
			}
			ctx, p, out := cmd.Context(), env.pipeline(), cmd.OutOrStdout()
			find := pipeline.TouchedPackages
			if wide {
				find = pipeline.WidePackages
			}
			packages, err := find(ctx, p)
			if err != nil {
				return err
			}
			if len(args) > 0 {
				packages = args
			}
			if list {
				for _, n := range packages {
					fmt.Fprintln(out, n)
				}
				return nil
			}
			suite := &unit.Suite{
				Tree: env.Src(layout.Sidecar),
				Stock: func(ctx context.Context) (string, error) {
					return env.Src(layout.Stock), pipeline.Tree(ctx, p, layout.Stock)
				},
				Reports: env.Output("reports"),
				Out:     out,
			}
			start := time.Now()
			t, err := suite.Run(ctx, packages, gates)
			if err != nil {
				return err
			}
			fmt.Fprintf(out, "upstream's tests of %d packages, gate %s: %.0f s, reports in %s\n", len(packages), gate, time.Since(start).Seconds(), suite.Reports)
			if t.AlsoOnStock > 0 {
				fmt.Fprintf(out, "%d tests fail on stock Kubernetes on this host as well, and are not counted\n", t.AlsoOnStock)
			}
			fmt.Fprintf(out, "%d passed, %d failed\n", t.Passed, t.Failed)
			if t.Failed > 0 {
				repeat := "hack/sidecarctl unit --gate " + gate
				if wide {
					repeat += " --wide"
				}
				return fmt.Errorf("%d tests failed; to repeat all: %s", t.Failed, repeat)
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&gate, "gate", gate, "state of the gate: off, on or both")
	cmd.Flags().BoolVar(&wide, "wide", false, "run the tests of everything that could notice the feature")
	cmd.Flags().BoolVar(&list, "list", false, "print the packages and run nothing")
	return cmd
}
