package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"sidecar-node/build/internal/cluster"
	"sidecar-node/build/internal/e2erun"
	"sidecar-node/build/internal/engine"
	"sidecar-node/build/internal/layout"
	"sidecar-node/build/internal/mutant"
	"sidecar-node/build/internal/step"
)

func init() { commands = append(commands, e2eStockCommand) }

// orderLabel marks the specs that nothing but the patches makes pass.
const orderLabel = "order"

func e2eStockCommand(env *environment) *cobra.Command {
	var keep bool
	cmd := &cobra.Command{
		Use:   "e2e-stock",
		Short: "Run the specs about order on stock Kubernetes, where each of them has to fail",
		Long: `E2e-stock makes the node image without the patches and a cluster of it, and runs the
specs with the label order there. Each has to fail: one that passes proves nothing
on a cluster of ours either. The cluster is deleted afterwards.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			ctx, out := cmd.Context(), cmd.OutOrStdout()
			eng, err := engine.Find(ctx)
			if err != nil {
				return err
			}
			if err := env.nodeImage(ctx, eng, layout.Stock); err != nil {
				return err
			}
			c, err := env.stockCluster(eng, out)
			if err != nil {
				return err
			}
			if !keep {
				defer func() { err = errors.Join(err, c.Delete(context.WithoutCancel(ctx))) }()
			}
			if _, err := c.Ensure(ctx); err != nil {
				return err
			}
			return env.steps.Run(ctx, step.Step{
				Name: "e2e-stock", Title: "Specs about order on stock Kubernetes, all to fail", Repeat: "make e2e-stock",
				Do: func(ctx context.Context) error { return env.failOnStock(ctx, c, out) },
			})
		},
	}
	cmd.Flags().BoolVar(&keep, "keep", false, "leave the cluster")
	return cmd
}

func (e *environment) stockCluster(eng *engine.Engine, out io.Writer) (*cluster.Cluster, error) {
	flags := clusterFlags{name: defaultCluster + "-stock", variant: string(layout.Stock), config: e.Path("examples", "kind-stock.yaml")}
	c, err := flags.cluster(e, eng, out)
	if err == nil {
		c.UserKubeconfig = false
	}
	return c, err
}

// failOnStock runs the specs about order on the cluster and returns an error unless all
// of them fail. What the suite prints goes to a file.
func (e *environment) failOnStock(ctx context.Context, c *cluster.Cluster, out io.Writer) error {
	run := e2erun.Run{
		Root: e.Root, Kubeconfig: c.Kubeconfig, Config: e.Path("e2e", "config", "impatient.yaml"),
		Kubectl: c.Kubectl, Gate: e2erun.GateOn, Labels: orderLabel, Output: e.Output("e2e-stock"),
	}
	log := e.Output("reports", "e2e-stock.log")
	ran, err := run.Logged(ctx, log)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "    %d specs, what the suite said: %s\n", len(ran), log)
	return mutant.JudgeStock(ran)
}
