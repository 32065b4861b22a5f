// Command sidecarctl builds the distribution: from Go modules and Debian
// packages to a node image for kind, and from there to a running cluster.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"sidecar-node/build/internal/engine"
	"sidecar-node/build/internal/layout"
	"sidecar-node/build/internal/step"
)

// commands are the constructors of all subcommands. Each lives in the file
// that is named after its subcommand and adds itself here in an init.
var commands []func(env *environment) *cobra.Command

// environment is what every subcommand works with.
type environment struct {
	layout.Layout
	steps *step.Runner
}

func main() {
	if len(os.Args) == 2 && os.Args[1] == engine.SelfCheckArgument {
		fmt.Println(engine.SelfCheckAnswer)
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "sidecarctl:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	l, err := layout.Find(".")
	if err != nil {
		return err
	}
	env := &environment{Layout: l, steps: &step.Runner{Stamps: l.Stamps(), Out: os.Stdout}}
	root := &cobra.Command{
		Use:           "sidecarctl",
		Short:         "Build the Kubernetes distribution with lifecycle.type: Sidecar",
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	for _, c := range commands {
		root.AddCommand(c(env))
	}
	root.SetArgs(args)
	return root.ExecuteContext(ctx)
}
