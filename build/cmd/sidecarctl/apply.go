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
	var relock, seriesOnly bool
	cmd := &cobra.Command{
		Use:   "apply",
		Short: "Make the scratch repository: upstream's tree, the patches, the overlay, the generated code",
		Long: `Apply makes the history of the scratch repository _output/sidecar/src: the
untouched tree, one commit a patch, the overlay and the generated code. Work in
the scratch repository that is not exported is never thrown away: apply refuses.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := pipeline.Assemble(cmd.Context(), env.pipeline(), layout.Sidecar); err != nil {
				return err
			}
			if err := pipeline.Apply(cmd.Context(), env.pipeline(), relock); err != nil || seriesOnly {
				return err
			}
			return pipeline.Generate(cmd.Context(), env.pipeline())
		},
	}
	cmd.Flags().BoolVar(&relock, "relock", false, "write the trees that come out to patches/tree.lock, such as after a merge of two series")
	cmd.Flags().BoolVar(&seriesOnly, "series-only", false, "leave out the generated code")
	return cmd
}
