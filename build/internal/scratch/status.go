package scratch

import (
	"context"
	"fmt"

	"sidecar-node/build/internal/patchset"
)

const tool = "hack/sidecarctl "

// Status prints the state of the scratch repository and the next command.
// fresh says whether it was made from patches/ and staging/ as they are now.
func (s *Scratch) Status(ctx context.Context, fresh bool) error {
	st, err := s.State(ctx)
	if err != nil {
		return err
	}
	if !st.Exists {
		fmt.Fprintf(s.Out, "%s does not exist\nnext: %sapply\n", s.Repo.Dir, tool)
		return nil
	}
	if st.Applied == "" {
		fmt.Fprintf(s.Out, "%s holds the untouched tree\nnext: %sapply\n", s.Repo.Dir, tool)
		return nil
	}
	if err := s.printHistory(ctx, st); err != nil {
		return err
	}
	for _, c := range st.Commits {
		fmt.Fprintf(s.Out, "  work      %.12s %s\n", c.ID, c.Subject)
	}
	for _, c := range st.Elsewhere {
		fmt.Fprintf(s.Out, "  elsewhere %.12s %s\n", c.ID, c.Subject)
	}
	for _, c := range st.Changes {
		fmt.Fprintf(s.Out, "  changed   %s\n", c)
	}
	switch {
	case st.Busy != "":
		fmt.Fprintf(s.Out, "an unfinished %s\nnext: git -C %s status\n", st.Busy, s.Repo.Dir)
	case len(st.Changes) > 0:
		fmt.Fprintf(s.Out, "changes that are not committed\nnext: git -C %s add -A && git -C %s commit --fixup=<commit of the patch>\n", s.Repo.Dir, s.Repo.Dir)
	case len(st.Commits) > 0:
		fmt.Fprintf(s.Out, "commits that are not exported\nnext: %sexport\n", tool)
	case !fresh:
		fmt.Fprintf(s.Out, "patches/ or staging/ have changed since\nnext: %sapply\n", tool)
	case st.Stage == "applied":
		fmt.Fprintf(s.Out, "nothing is generated yet\nnext: %sgenerate\n", tool)
	default:
		fmt.Fprintf(s.Out, "as patches/ and staging/ say\nnext: edit and commit in %s, or %scompile\n", s.Repo.Dir, tool)
	}
	return nil
}

// printHistory prints the commits that the tool made and marks the one that is
// checked out.
func (s *Scratch) printHistory(ctx context.Context, st *State) error {
	commits, err := s.commits(ctx, "--reverse", PristineRef+".."+AppliedRef)
	if err != nil {
		return err
	}
	pristine, err := s.Repo.Resolve(ctx, PristineRef)
	if err != nil {
		return err
	}
	commits = append([]Commit{{pristine, "pristine: the untouched tree"}}, commits...)
	for _, c := range commits {
		message, err := s.Repo.Message(ctx, c.ID)
		if err != nil {
			return err
		}
		text := c.Subject
		if name := patchset.PatchName(message); name != "" {
			text = name + "  " + text
		}
		mark := " "
		if c.ID == st.Head {
			mark = "*"
		}
		fmt.Fprintf(s.Out, "%s made      %.12s %s\n", mark, c.ID, text)
	}
	return nil
}
