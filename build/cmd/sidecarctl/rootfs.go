package main

import (
	"github.com/spf13/cobra"

	"sidecar-node/build/internal/rootfs"
)

func init() { commands = append(commands, rootfsCommand) }

func rootfsCommand(env *environment) *cobra.Command {
	return &cobra.Command{
		Use:       "rootfs [node|tools]",
		Short:     "Unpack the Debian packages of the node image",
		ValidArgs: []string{"node", "tools"},
		Args:      cobra.OnlyValidArgs,
		RunE: func(cmd *cobra.Command, names []string) error {
			if len(names) == 0 {
				names = []string{"node", "tools"}
			}
			builder := rootfs.Builder{Dir: env.Output("rootfs"), Reports: env.Output("reports"), Steps: env.steps}
			for _, n := range names {
				spec, err := rootfs.ReadSpec(env.Path("images", "rootfs", n+".yaml"))
				if err != nil {
					return err
				}
				if err := builder.Build(cmd.Context(), spec); err != nil {
					return err
				}
			}
			return nil
		},
	}
}
