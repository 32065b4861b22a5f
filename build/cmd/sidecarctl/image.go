package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"sidecar-node/build/internal/engine"
	"sidecar-node/build/internal/layout"
	"sidecar-node/build/internal/pipeline"
)

func init() { commands = append(commands, imageCommand) }

func imageCommand(env *environment) *cobra.Command {
	var variant, binaries string
	var load bool
	cmd := &cobra.Command{
		Use:   "image",
		Short: "Build the node image",
		Long: `Image builds the node image with everything that it needs, writes it to an
archive that docker load and podman load read, prints the size of each layer,
and fails if one is over images/node/budget.txt.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx := cmd.Context()
			v, err := layout.ParseVariant(variant)
			if err != nil {
				return err
			}
			var eng *engine.Engine
			if load {
				// Before the work: without an engine it would be in vain.
				if eng, err = engine.Find(ctx); err != nil {
					return err
				}
			}
			made, err := pipeline.Image(ctx, env.pipeline(), v, binaries)
			if err != nil {
				return err
			}
			if load {
				return loadImage(ctx, env, eng, made)
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%s\nto load it: go run ./build/cmd/sidecarctl image --load --variant %s\n", made.Archive, v)
			return nil
		},
	}
	cmd.Flags().StringVar(&variant, "variant", string(layout.Sidecar), "sidecar, or stock for Kubernetes without the patches")
	cmd.Flags().StringVar(&binaries, "binaries", "", "folder with Kubernetes binaries to use instead of compiling them")
	cmd.Flags().BoolVar(&load, "load", false, "load the image into Docker or Podman")
	return cmd
}
