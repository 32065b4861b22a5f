package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"time"

	"github.com/spf13/cobra"

	"sidecar-node/build/internal/e2erun"
	"sidecar-node/e2e/soak"
)

func init() { commands = append(commands, soakCommand) }

func soakCommand(env *environment) *cobra.Command {
	s := &soak.Soak{}
	var kubeconfig string
	cmd := &cobra.Command{
		Use:   "soak",
		Short: "Run random pods with sidecars while kubelets are killed, and judge each of them",
		Long: `Soak draws pods from a seed, runs them on the cluster of make cluster, kills its
kubelet at random, and judges each pod by what its containers have written down:
no app before its sidecars are ready, no sidecar asked to stop before the app has
ended unless the budget is used up, nothing started after the end, the right
phase, everything over in time, nothing stuck. A violation leaves seed, manifest
and timeline in _output/soak, and a simpler pod with the same fault is looked for.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, out := cmd.Context(), cmd.OutOrStdout()
			if s.Rounds < 1 || s.Batch < 1 {
				return errors.New("--rounds and --batch: want at least 1")
			}
			if kubeconfig == "" && os.Getenv("KUBECONFIG") == "" {
				c, err := env.e2eCluster(ctx, e2erun.GateOn, out)
				if err != nil {
					return err
				}
				kubeconfig = c.Kubeconfig
			}
			var err error
			if s.Cluster, err = connect(kubeconfig, env.suiteSettings()); err != nil {
				return err
			}
			if err := s.Cluster.InstallReader(ctx); err != nil {
				return err
			}
			defer func() {
				_ = s.Cluster.RemoveReader(context.WithoutCancel(ctx), "soak-")
			}()
			if s.Seed == 0 {
				s.Seed = rand.Uint64()
			}
			s.Dir, s.Out = env.Output("soak"), out
			fmt.Fprintf(out, "==> soak %d pods, %d at a time, seed %d\n", s.Rounds, s.Batch, s.Seed)
			result, err := s.Run(ctx)
			fmt.Fprintln(out, result)
			if err == nil && result.Violations > 0 {
				err = fmt.Errorf("%d violations, see %s", result.Violations, s.Dir)
			}
			if err != nil {
				return fmt.Errorf("%w\nto repeat: make soak ROUNDS=%d ARGS='--seed=%d --batch=%d --start-lag=%v'", err, s.Rounds, s.Seed, s.Batch, s.StartLag)
			}
			return nil
		},
	}
	cmd.Flags().IntVar(&s.Rounds, "rounds", 200, "how many pods to run")
	cmd.Flags().IntVar(&s.Batch, "batch", 20, "how many of them at a time")
	cmd.Flags().Uint64Var(&s.Seed, "seed", 0, "what the pods are drawn from (default: a random one)")
	cmd.Flags().BoolVar(&s.Kill, "kill", true, "kill the kubelet at random")
	cmd.Flags().BoolVar(&s.Simplify, "simplify", true, "look for a simpler pod when there is a violation")
	cmd.Flags().DurationVar(&s.Limit, "limit", 3*time.Minute, "after this time a pod is stuck")
	cmd.Flags().DurationVar(&s.StartLag, "start-lag", 2*time.Second, "how long the first word of a container may take; more where the machine is busy")
	cmd.Flags().StringVar(&kubeconfig, "kubeconfig", "", "use this cluster (default: $KUBECONFIG, or else that of make cluster)")
	return cmd
}
