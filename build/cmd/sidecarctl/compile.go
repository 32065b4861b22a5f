package main

import (
	"github.com/spf13/cobra"

	"sidecar-node/build/internal/layout"
	"sidecar-node/build/internal/pipeline"
)

func init() {
	commands = append(commands, compileCommand)
}

func compileCommand(env *environment) *cobra.Command {
	variant := string(layout.Sidecar)
	cmd := &cobra.Command{
		Use:   "compile",
		Short: "Compile the Kubernetes binaries, with the tree made first",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			v, err := layout.ParseVariant(variant)
			if err != nil {
				return err
			}
			_, err = pipeline.Binaries(cmd.Context(), env.pipeline(), v)
			return err
		},
	}
	cmd.Flags().StringVar(&variant, "variant", variant, "tree to compile: sidecar or stock")
	return cmd
}
