package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"sidecar-node/build/internal/pipeline"
	"sidecar-node/build/internal/scratch"
)

func init() {
	commands = append(commands, statusCommand)
}

func statusCommand(env *environment) *cobra.Command {
	return &cobra.Command{
		Use:   "status",
		Short: "Say what the scratch repository holds and what to do next",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, out := cmd.Context(), cmd.OutOrStdout()
			l, err := env.pipeline().Lock()
			if err != nil {
				return err
			}
			fmt.Fprintf(out, "Kubernetes %s, release %s\n", l.Kubernetes, l.Distribution)
			fresh, err := pipeline.Applied(env.pipeline())
			if err != nil {
				return err
			}
			return scratch.Of(env.Layout, out).Status(ctx, fresh)
		},
	}
}
