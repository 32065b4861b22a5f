package main

import (
	"github.com/spf13/cobra"

	"sidecar-node/build/internal/prerequisite"
)

func init() { commands = append(commands, setup) }

func setup(env *environment) *cobra.Command {
	var minDisk float64
	cmd := &cobra.Command{
		Use:   "setup",
		Short: "Install what is missing (root on Debian or Ubuntu), each package announced",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			m := env.machine(cmd.Context(), minDisk)
			return prerequisite.Setup(cmd.Context(), m, prerequisite.List(), cmd.OutOrStdout(), env.Output("reports", "apt.log"))
		},
	}
	addMinDisk(cmd, &minDisk)
	return cmd
}
