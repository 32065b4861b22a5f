package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"sidecar-node/build/internal/e2erun"
)

func init() { commands = append(commands, e2eCommand) }

func e2eCommand(env *environment) *cobra.Command {
	run := e2erun.Run{Root: env.Root, Config: env.Path("e2e", "config", "default.yaml")}
	var gate string
	cmd := &cobra.Command{
		Use:   "e2e [flags] [-- ginkgo arguments]",
		Short: "Test the behaviour on real clusters: yours by KUBECONFIG, or those of our node image",
		Long: `E2e runs the cluster suite. With KUBECONFIG set or --kubeconfig it uses that
cluster, and --gate says whether the cluster has the feature gate on. Without,
it uses the cluster of make cluster, which it creates if need be, and then makes
one more with the gate off. docs/testing.md has more.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			run.Args, run.Out = args, cmd.OutOrStdout()
			// The suite runs in its own folder.
			for _, file := range []*string{&run.Kubeconfig, &run.Config} {
				if *file == "" {
					continue
				}
				var err error
				if *file, err = filepath.Abs(*file); err != nil {
					return err
				}
			}
			given := run.Kubeconfig != "" || os.Getenv("KUBECONFIG") != ""
			gates, err := gateStates(gate, given)
			if err != nil {
				return err
			}
			var total e2erun.Summary
			var errs []error
			for _, off := range gates {
				summary, err := env.runE2E(cmd.Context(), run, off, given)
				total = total.Add(summary)
				errs = append(errs, err)
			}
			if err := errors.Join(errs...); err != nil {
				errs = []error{fmt.Errorf("%w\nto repeat: %s", err, repeat(os.Args[2:]))}
			}
			fmt.Fprintln(run.Out, total)
			return errors.Join(errs...)
		},
	}
	cmd.Flags().StringVar(&run.Labels, "labels", "", `run only specs with these labels, such as "start || job"`)
	cmd.Flags().StringVar(&gate, "gate", "", "run the specs for clusters that have the feature gate on, off or both (default: both, or on if a cluster is given)")
	cmd.Flags().StringVar(&run.Kubeconfig, "kubeconfig", "", "use this cluster (default: $KUBECONFIG, or else clusters of our node image)")
	cmd.Flags().StringVar(&run.Config, "config", run.Config, "settings of the suite")
	cmd.Flags().BoolVar(&run.Keep, "keep", false, "leave what failed specs made, and the clusters")
	return cmd
}

// gateStates are the runs to make; true stands for a run with the gate off.
func gateStates(gate string, given bool) ([]bool, error) {
	if gate == "" {
		gate = "both"
		if given {
			gate = "on"
		}
	}
	switch {
	case gate == "on":
		return []bool{false}, nil
	case gate == "off":
		return []bool{true}, nil
	case gate == "both" && !given:
		return []bool{false, true}, nil
	case gate == "both":
		return nil, errors.New("--gate both: one cluster has the gate on or off; say which, or leave out the cluster")
	}
	return nil, fmt.Errorf("--gate %q: want on, off or both", gate)
}

// runE2E runs the suite once, on the given cluster or one of ours.
func (e *environment) runE2E(ctx context.Context, run e2erun.Run, gateOff, given bool) (_ e2erun.Summary, err error) {
	run.GateOff, run.Output = gateOff, e.Output("e2e")
	if gateOff {
		// Beside the other run, so that both reports stay.
		run.Output = e.Output("e2e-gate-off")
	}
	if !given {
		c, err := e.e2eCluster(ctx, gateOff, run.Out)
		if err != nil {
			return e2erun.Summary{}, err
		}
		run.Kubeconfig = c.Kubeconfig
		if gateOff && !run.Keep {
			defer func() { err = errors.Join(err, c.Delete(context.WithoutCancel(ctx))) }()
		}
	}
	return run.Do(ctx)
}

// repeat is the command that runs the same again.
func repeat(args []string) string {
	if len(args) == 0 {
		return "make e2e"
	}
	quoted := make([]string, len(args))
	for i, a := range args {
		quoted[i] = a
		if strings.ContainsAny(a, " |&!()*") {
			quoted[i] = "'" + a + "'"
		}
	}
	return fmt.Sprintf("make e2e ARGS=%q", strings.Join(quoted, " "))
}
