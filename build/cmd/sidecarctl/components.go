package main

import (
	"github.com/spf13/cobra"

	"sidecar-node/build/internal/component"
)

func init() { commands = append(commands, componentsCommand) }

func componentsCommand(env *environment) *cobra.Command {
	return &cobra.Command{
		Use:   "components [name...]",
		Short: "Compile the third-party binaries of the node image (containerd, runc, etcd, ...)",
		RunE: func(cmd *cobra.Command, names []string) error {
			selected, err := component.Select(names)
			if err != nil {
				return err
			}
			builder := component.Builder{
				Root:  env.Path("images", "components"),
				Bin:   env.Output("components", "bin"),
				Steps: env.steps,
			}
			return builder.Build(cmd.Context(), selected)
		},
	}
}
