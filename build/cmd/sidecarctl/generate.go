package main

import (
	"github.com/spf13/cobra"

	"sidecar-node/build/internal/layout"
	"sidecar-node/build/internal/pipeline"
	"sidecar-node/build/internal/scratch"
)

func init() {
	commands = append(commands, generateCommand)
}

func generateCommand(env *environment) *cobra.Command {
	var check, relock bool
	cmd := &cobra.Command{
		Use:   "generate",
		Short: "Generate the code of the packages that the series touches",
		Long: `Generate runs upstream's code generators in the scratch repository, on what is
checked out there, and commits the result on top. Work that is not exported is
generated for as well, as long as it is committed.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, p := cmd.Context(), env.pipeline()
			if check {
				return pipeline.CheckPristine(ctx, p)
			}
			s := scratch.Of(env.Layout, cmd.OutOrStdout())
			st, err := s.State(ctx)
			if err != nil {
				return err
			}
			if !st.Work() {
				if err := pipeline.Assemble(ctx, p, layout.Sidecar); err != nil {
					return err
				}
				if err := pipeline.Apply(ctx, p, false); err != nil {
					return err
				}
			}
			return s.Generate(ctx, pipeline.Generators(p), relock)
		},
	}
	cmd.Flags().BoolVar(&check, "check-pristine", false, "change nothing: prove that on the untouched tree the generators give upstream's files, byte for byte")
	cmd.Flags().BoolVar(&relock, "relock", false, "write the tree that comes out to patches/tree.lock")
	return cmd
}
