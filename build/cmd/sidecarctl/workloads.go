package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"sidecar-node/build/internal/pipeline"
	"sidecar-node/build/internal/workloads"
)

func init() { commands = append(commands, workloadsCommand) }

func workloadsCommand(env *environment) *cobra.Command {
	return &cobra.Command{
		Use:   "workloads",
		Short: "Build the image of the programs that the manifests in examples/real run",
		Long: `Workloads builds the image ` + workloads.Name + ` from Debian packages and
writes it to an archive. "sidecarctl e2e" does so by itself, and loads it into the
nodes of its own clusters; for another cluster it is to be loaded by hand.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			made, err := pipeline.Workloads(cmd.Context(), env.pipeline())
			if err != nil {
				return err
			}
			fmt.Fprintf(cmd.OutOrStdout(), "to load it: go tool kind load image-archive %s --name %s\n", made.Archive, defaultCluster)
			return nil
		},
	}
}
