package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"sidecar-node/build/internal/e2erun"
	"sidecar-node/build/internal/layout"
	"sidecar-node/build/internal/workloads"
)

func init() { commands = append(commands, e2eCommand) }

func e2eCommand(env *environment) *cobra.Command {
	run := e2erun.Run{Root: env.Root, Config: env.suiteSettings()}
	var gate string
	rounds := 1
	cmd := &cobra.Command{
		Use:   "e2e [flags] [-- ginkgo arguments]",
		Short: "Test the behaviour on real clusters: yours by KUBECONFIG, or those of our node image",
		Long: `E2e runs the cluster suite. With KUBECONFIG set or --kubeconfig it uses that
cluster, and --gate says whether the cluster has the feature gate on. Without,
it uses the cluster of make cluster, which it creates if need be, and then makes
one with the gate off and one of nodes with different versions and gates.
docs/testing.md has more.`,
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
			if gate == "" && (run.Labels != "" || len(args) > 0) {
				// A choice of specs need not leave any for each kind of cluster.
				gate = string(e2erun.GateOn)
			}
			gates, err := gateStates(gate, given)
			if err != nil {
				return err
			}
			if rounds < 1 {
				return fmt.Errorf("--rounds %d: want at least 1", rounds)
			}
			total, err := eachRound(cmd.Context(), rounds, run.Out, func(suffix string) (e2erun.Summary, error) {
				return env.runGates(cmd.Context(), run, gates, given, suffix)
			})
			if err != nil {
				err = fmt.Errorf("%w\nto repeat: %s", err, repeat(os.Args[2:]))
			}
			fmt.Fprintln(run.Out, total)
			return err
		},
	}
	cmd.Flags().StringVar(&run.Labels, "labels", "", `run only specs with these labels, such as "start || job"`)
	cmd.Flags().StringVar(&gate, "gate", "", "run the specs for clusters that have the feature gate on, off or mixed, or all of them (default: all, or on if a cluster or a choice of specs is given)")
	cmd.Flags().StringVar(&run.Kubeconfig, "kubeconfig", "", "use this cluster (default: $KUBECONFIG, or else clusters of our node image)")
	cmd.Flags().BoolVar(&run.Workloads, "workloads", false, "the nodes of the given cluster have the image "+workloads.Name+": run the specs that need it, too")
	cmd.Flags().IntVar(&rounds, "rounds", rounds, "how often to run all of it, to find specs that fail now and then")
	cmd.Flags().StringVar(&run.Config, "config", run.Config, "settings of the suite")
	cmd.Flags().BoolVar(&run.Keep, "keep", false, "leave what failed specs made, and the clusters")
	return cmd
}

// allGates stands for a run in each kind of cluster.
const allGates = "all"

// gateStates are the runs to make.
func gateStates(gate string, given bool) ([]e2erun.Gate, error) {
	if gate == "" {
		gate = allGates
		if given {
			gate = string(e2erun.GateOn)
		}
	}
	switch {
	case slices.Contains(e2erun.Gates, e2erun.Gate(gate)):
		return []e2erun.Gate{e2erun.Gate(gate)}, nil
	case gate == allGates && !given:
		return e2erun.Gates, nil
	case gate == allGates:
		return nil, errors.New("--gate all: a cluster has the gate on, off or mixed; say which, or leave out the cluster")
	}
	return nil, fmt.Errorf("--gate %q: want on, off, mixed or all", gate)
}

// runE2E runs the suite once into run.Output, on the given cluster or one of ours.
func (e *environment) runE2E(ctx context.Context, run e2erun.Run, gate e2erun.Gate, given bool) (_ e2erun.Summary, err error) {
	run.Gate = gate
	if ours := filepath.Join(e.Bin(layout.Sidecar), "kubectl"); exists(ours) {
		run.Kubectl = ours
	}
	if given {
		wanted, err := run.WantsWorkloads()
		if err != nil {
			return e2erun.Summary{}, err
		}
		if wanted && !run.Workloads {
			fmt.Fprintf(run.Out, "==> specs with label real are left out: they need the image %s on the nodes (hack/sidecarctl workloads makes it); say --workloads if it is there\n", workloads.Name)
		}
		return run.Do(ctx)
	}
	c, err := e.e2eCluster(ctx, gate, run.Out)
	if err != nil {
		return e2erun.Summary{}, err
	}
	run.Kubeconfig = c.Kubeconfig
	if gate != e2erun.GateOn && !run.Keep {
		defer func() { err = errors.Join(err, c.Delete(context.WithoutCancel(ctx))) }()
	}
	if err := e.loadWorkloads(ctx, &run, c); err != nil {
		return e2erun.Summary{}, err
	}
	return run.Do(ctx)
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
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
