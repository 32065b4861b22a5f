package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"sidecar-node/build/internal/cluster"
	"sidecar-node/build/internal/e2erun"
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

// loadWorkloads builds the image of real programs and loads it into a cluster of ours,
// if specs of the run need it.
func (e *environment) loadWorkloads(ctx context.Context, run *e2erun.Run, c *cluster.Cluster) error {
	var err error
	if run.Workloads, err = run.WantsWorkloads(); err != nil || !run.Workloads {
		return err
	}
	made, err := pipeline.Workloads(ctx, e.pipeline())
	if err != nil {
		return err
	}
	return c.LoadImage(ctx, made.Archive, made.Names[0], made.ID)
}
