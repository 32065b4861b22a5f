package main

import (
	"github.com/spf13/cobra"

	"sidecar-node/build/internal/layout"
	"sidecar-node/build/internal/pipeline"
)

func init() {
	commands = append(commands, assembleCommand)
}

func assembleCommand(env *environment) *cobra.Command {
	variant := string(layout.Sidecar)
	cmd := &cobra.Command{
		Use:   "assemble",
		Short: "Put the untouched Kubernetes tree together from its modules",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			v, err := layout.ParseVariant(variant)
			if err != nil {
				return err
			}
			return pipeline.Assemble(cmd.Context(), env.pipeline(), v)
		},
	}
	cmd.Flags().StringVar(&variant, "variant", variant, "tree to make: sidecar or stock")
	return cmd
}
