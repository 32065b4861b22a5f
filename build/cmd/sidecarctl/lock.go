package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"sidecar-node/build/internal/assemble"
	"sidecar-node/build/internal/replace"
)

func init() {
	commands = append(commands, lockCommand)
}

func lockCommand(env *environment) *cobra.Command {
	distribution := "sidecar.1"
	cmd := &cobra.Command{
		Use:   "lock <kubernetes version>",
		Short: "Write patches/upstream.lock for a version of Kubernetes, with the hashes of its modules",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			l, err := assemble.Resolve(cmd.Context(), args[0], distribution)
			if err != nil {
				return err
			}
			file := env.Path("patches", "upstream.lock")
			if err := replace.File(file, l.Format()); err != nil {
				return err
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%s: %d modules, %d dropped\n", file, len(l.Modules), len(l.Drop))
			return nil
		},
	}
	cmd.Flags().StringVar(&distribution, "distribution", distribution, "release of the distribution on this version")
	return cmd
}
