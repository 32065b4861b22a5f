package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"sidecar-node/build/internal/git"
	"sidecar-node/build/internal/layout"
	"sidecar-node/build/internal/scratch"
)

func init() { commands = append(commands, clean) }

func clean(env *environment) *cobra.Command {
	var force bool
	cmd := &cobra.Command{
		Use:   "clean",
		Short: "Remove _output; Go's caches, images and clusters stay",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			for _, v := range []layout.Variant{layout.Sidecar, layout.Stock} {
				s := &scratch.Scratch{Repo: git.Repo{Dir: env.Src(v)}, Patches: env.Path("patches"), Staging: env.Path("staging"), Out: cmd.OutOrStdout()}
				st, err := s.State(cmd.Context())
				if err != nil && !force {
					return fmt.Errorf("%w\nto remove it all the same: hack/sidecarctl clean --force", err)
				}
				if err == nil && (st.Work() || len(st.Elsewhere) > 0) && !force {
					return fmt.Errorf("%w\nto lose it: hack/sidecarctl clean --force", &scratch.WorkError{Dir: s.Repo.Dir, State: st, Why: "_output is to be removed"})
				}
			}
			return removeAll(env.Output())
		},
	}
	cmd.Flags().BoolVar(&force, "force", false, "even if the scratch tree holds work that isn't exported")
	return cmd
}

// removeAll removes a folder with folders below it that can't be written to,
// such as those that Go's module cache makes.
func removeAll(dir string) error {
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			err = os.Chmod(name, 0o755)
		}
		if os.IsNotExist(err) {
			return nil
		}
		return err
	})
	if err != nil {
		return err
	}
	return os.RemoveAll(dir)
}
