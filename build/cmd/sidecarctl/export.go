package main

import (
	"errors"

	"github.com/spf13/cobra"

	"sidecar-node/build/internal/pipeline"
	"sidecar-node/build/internal/scratch"
)

func init() {
	commands = append(commands, exportCommand)
}

func exportCommand(env *environment) *cobra.Command {
	var from, base string
	var check bool
	cmd := &cobra.Command{
		Use:   "export [--from <repository> --base <commit> <branch>]",
		Short: "Write the commits of the scratch repository back to patches/ and staging/",
		Long: `Export takes the commits from the untouched tree to what is checked out in the
scratch repository. What a commit changes in files of upstream becomes its
patch, files that upstream does not have go to staging/, and generated files go
nowhere. Commits marked fixup! are put where they belong first. Patches that
have not changed keep their bytes.

With --from, the commits of a branch of another repository replace the series.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if check {
				if len(args) > 0 || from != "" || base != "" {
					return errors.New("--check compares with the scratch repository: want no branch, --from or --base beside it")
				}
				return pipeline.CheckExport(cmd.Context(), env.pipeline())
			}
			source := scratch.Source{Dir: from, Base: base}
			if len(args) > 0 {
				source.Tip = args[0]
			}
			if given := from != ""; given != (base != "") || given != (source.Tip != "") {
				return errors.New("want --from, --base and a branch together, or none of them")
			}
			return pipeline.Export(cmd.Context(), env.pipeline(), source)
		},
	}
	cmd.Flags().StringVar(&from, "from", "", "repository that holds the branch")
	cmd.Flags().StringVar(&base, "base", "", "commit of the untouched tree in that repository")
	cmd.Flags().BoolVar(&check, "check", false, "change nothing: fail unless patches/ and staging/ are what an export of them gives, byte for byte")
	return cmd
}
