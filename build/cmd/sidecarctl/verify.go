package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"sidecar-node/build/internal/layout"
	"sidecar-node/build/internal/pipeline"
	"sidecar-node/build/internal/verify"
)

func init() { commands = append(commands, verifyCommand) }

func verifyCommand(env *environment) *cobra.Command {
	var only []string
	cmd := &cobra.Command{
		Use:   "verify",
		Short: "Check the repository itself: own words, patches, generated code, documents",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, out := cmd.Context(), cmd.OutOrStdout()
			checks, err := chosen(verify.All(), only)
			if err != nil {
				return err
			}
			if slices.ContainsFunc(checks, func(c verify.Check) bool { return c.NeedsTree }) {
				if err := pipeline.Assemble(ctx, env.pipeline(), layout.Sidecar); err != nil {
					return err
				}
			}
			r, err := verify.Open(ctx, env.pipeline())
			if err != nil {
				return err
			}
			return verify.Summary(out, verify.Run(ctx, r, checks, out))
		},
	}
	cmd.Flags().StringSliceVar(&only, "only", nil, "run only these checks, by name")
	return cmd
}

// chosen returns the checks with the given names, all if there are none.
func chosen(all []verify.Check, names []string) ([]verify.Check, error) {
	if len(names) == 0 {
		return all, nil
	}
	var checks []verify.Check
	for _, n := range names {
		i := slices.IndexFunc(all, func(c verify.Check) bool { return c.Name == n })
		if i < 0 {
			var known []string
			for _, c := range all {
				known = append(known, c.Name)
			}
			return nil, fmt.Errorf("no check %q: want one of %s", n, strings.Join(known, ", "))
		}
		checks = append(checks, all[i])
	}
	return checks, nil
}
