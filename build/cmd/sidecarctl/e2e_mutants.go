package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"sidecar-node/build/internal/e2erun"
	"sidecar-node/build/internal/layout"
	"sidecar-node/build/internal/mutant"
	"sidecar-node/build/internal/pipeline"
)

func init() { commands = append(commands, e2eMutantsCommand) }

func e2eMutantsCommand(env *environment) *cobra.Command {
	var only []string
	var list, compileOnly bool
	settings := env.Path("e2e", "config", "impatient.yaml")
	cmd := &cobra.Command{
		Use:   "e2e-mutants",
		Short: "Ask whether the cluster suite catches faults: revert hooks of the series, and see specs fail",
		Long: `E2e-mutants compiles components with single hooks of the series reverted, as
e2e/mutants.yaml lists them, puts each into the cluster of make cluster in the
place of its own, and runs the specs that guard the hook, which have to fail. First
the same specs run on components that went the same way unchanged, and have to
pass. The cluster has its own components back afterwards, also after an interrupt.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, out := cmd.Context(), cmd.OutOrStdout()
			all, err := mutant.Load(env.Path("e2e", "mutants.yaml"))
			if err != nil {
				return err
			}
			chosen, err := mutant.Choose(all, only)
			if err != nil {
				return err
			}
			if list {
				return listMutants(out, chosen)
			}
			build, err := pipeline.Build(ctx, env.pipeline(), layout.Sidecar)
			if err != nil {
				return err
			}
			run := &mutant.Run{Mutants: chosen, Build: build, Steps: env.steps, Dir: env.Output("mutants"), Out: out}
			if err := run.Compile(ctx); err != nil || compileOnly {
				return err
			}
			if err := env.placeMutants(ctx, run, settings); err != nil {
				return err
			}
			rows, err := run.Do(ctx)
			return errors.Join(err, writeTable(out, rows, env.Output("mutants", "table.md")))
		},
	}
	cmd.Flags().StringSliceVar(&only, "only", nil, "run only these mutants, by name")
	cmd.Flags().BoolVar(&list, "list", false, "list the mutants and run none")
	cmd.Flags().BoolVar(&compileOnly, "compile-only", false, "compile the mutants and run none")
	cmd.Flags().StringVar(&settings, "config", settings, "settings of the suite")
	return cmd
}

// placeMutants makes sure that the cluster for the suite runs, and has the mutants run in
// it.
func (e *environment) placeMutants(ctx context.Context, run *mutant.Run, settings string) error {
	settings, err := filepath.Abs(settings)
	if err != nil {
		return err
	}
	c, err := e.e2eCluster(ctx, e2erun.GateOn, run.Out)
	if err != nil {
		return err
	}
	target, err := connect(c.Kubeconfig, settings)
	if err != nil {
		return err
	}
	nodes, err := target.Nodes(ctx)
	if err != nil {
		return err
	}
	quiet := *c
	quiet.Out = io.Discard
	run.Place, run.Ready = mutant.Place{Nodes: nodes}, quiet.AwaitReady
	run.Suite = e2erun.Run{Root: e.Root, Config: settings, Kubeconfig: c.Kubeconfig, Kubectl: c.Kubectl, Gate: e2erun.GateOn}
	return nil
}

func listMutants(out io.Writer, mutants []mutant.Mutant) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, m := range mutants {
		fmt.Fprintf(w, "%s\t%s\t%s\n", m.Name, m.Component, m.Breaks)
	}
	return w.Flush()
}

func writeTable(out io.Writer, rows []mutant.Row, file string) error {
	if len(rows) == 0 {
		return nil
	}
	table := mutant.Table(rows)
	fmt.Fprintf(out, "\n%s\ntable: %s\n", table, file)
	return os.WriteFile(file, []byte(table), 0o644)
}
