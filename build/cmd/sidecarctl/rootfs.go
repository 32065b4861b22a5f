package main

import (
	"github.com/spf13/cobra"

	"sidecar-node/build/internal/pipeline"
)

func init() { commands = append(commands, rootfsCommand) }

func rootfsCommand(env *environment) *cobra.Command {
	trees := []string{"node", "tools", "workloads"}
	return &cobra.Command{
		Use:       "rootfs [node|tools|workloads]",
		Short:     "Unpack the Debian packages of the images",
		ValidArgs: trees,
		Args:      cobra.OnlyValidArgs,
		RunE: func(cmd *cobra.Command, names []string) error {
			if len(names) == 0 {
				names = trees
			}
			_, err := pipeline.Rootfs(cmd.Context(), env.pipeline(), names)
			return err
		},
	}
}
