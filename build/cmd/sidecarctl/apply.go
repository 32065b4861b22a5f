package main

import (
	"github.com/spf13/cobra"

	"sidecar-node/build/internal/layout"
	"sidecar-node/build/internal/pipeline"
)

func init() {
	commands = append(commands, applyCommand)
}

func applyCommand(env *environment) *cobra.Command {
	var relock bool
	cmd := &cobra.Command{
		Use:   "apply",
		Short: "Apply the patch series and the overlay to the assembled tree",
		Long: `Apply makes the history of the scratch repository _output/sidecar/src: the
untouched tree, one commit a patch, and the overlay. Work in the scratch
repository that is not exported is never thrown away: apply refuses.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := pipeline.Assemble(cmd.Context(), env.pipeline(), layout.Sidecar); err != nil {
				return err
			}
			return pipeline.Apply(cmd.Context(), env.pipeline(), relock)
		},
	}
	cmd.Flags().BoolVar(&relock, "relock", false, "write the trees that come out to patches/tree.lock, such as after a merge of two series")
	return cmd
}
