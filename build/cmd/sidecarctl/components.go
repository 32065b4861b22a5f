package main

import (
	"github.com/spf13/cobra"

	"sidecar-node/build/internal/pipeline"
)

func init() { commands = append(commands, componentsCommand) }

func componentsCommand(env *environment) *cobra.Command {
	return &cobra.Command{
		Use:   "components [name...]",
		Short: "Compile the third-party binaries of the node image (containerd, runc, etcd, ...)",
		RunE: func(cmd *cobra.Command, names []string) error {
			_, err := pipeline.Components(cmd.Context(), env.pipeline(), names)
			return err
		},
	}
}
