package pipeline

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"sidecar-node/build/internal/assemble"
	"sidecar-node/build/internal/git"
	"sidecar-node/build/internal/layout"
	"sidecar-node/build/internal/patchset"
	"sidecar-node/build/internal/replace"
	"sidecar-node/build/internal/scratch"
	"sidecar-node/build/internal/step"
)

// tool is the command that people type.
const tool = "hack/sidecarctl "

// Tree makes the scratch repository of a variant (layout.Src) if it is not
// there yet or not the one that the lock, the patches and the overlay ask
// for: assembled from the upstream modules and, for the sidecar variant, with
// the series, the overlay and the generated code on top. Work of a developer
// in the scratch tree is never thrown away: with unchanged inputs the tree is
// used as it is, with changed ones Tree refuses.
func Tree(ctx context.Context, env Env, v layout.Variant) error {
	if err := Assemble(ctx, env, v); err != nil {
		return err
	}
	if v == layout.Stock {
		return nil
	}
	if err := Apply(ctx, env, false); err != nil {
		return err
	}
	return Generate(ctx, env)
}

// Assemble makes the untouched tree of a variant.
func Assemble(ctx context.Context, env Env, v layout.Variant) error {
	if _, err := layout.ParseVariant(string(v)); err != nil {
		return err
	}
	l, err := env.Lock()
	if err != nil {
		return err
	}
	trees, err := patchset.ReadTreeLock(env.Path("patches", "tree.lock"))
	if err != nil {
		// A conflict in it is for apply to report; the modules are checked
		// by their own hashes.
		trees = &patchset.TreeLock{}
	}
	dest := env.Src(v)
	return env.Steps.Run(ctx, step.Step{
		Name:    "assemble-" + string(v),
		Title:   fmt.Sprintf("Assemble Kubernetes %s (%s) from its modules", l.Kubernetes, v),
		Inputs:  string(l.Format()),
		Outputs: []string{filepath.Join(dest, ".git")},
		Repeat:  fmt.Sprintf(tool+"assemble --variant %s", v),
		Do: func(ctx context.Context) error {
			if err := mayReplace(ctx, env, dest); err != nil {
				return err
			}
			next := dest + ".next"
			if err := os.RemoveAll(next); err != nil {
				return err
			}
			if err := assemble.Tree(ctx, l, next, trees.Pristine); err != nil {
				return err
			}
			// What was made from the old tree is made again.
			if err := env.Steps.Forget("apply-" + string(v)); err != nil {
				return err
			}
			return replace.Dir(dest, next)
		},
	})
}

// mayReplace refuses if the repository at dir holds work of a developer,
// checked out or not.
func mayReplace(ctx context.Context, env Env, dir string) error {
	s := &scratch.Scratch{Repo: git.Repo{Dir: dir}, Patches: env.Path("patches"), Staging: env.Path("staging"), Out: env.Steps.Out}
	st, err := s.State(ctx)
	if err != nil {
		return err
	}
	if st.Work() || len(st.Elsewhere) > 0 {
		return &scratch.WorkError{Dir: dir, State: st, Why: "the tree is to be assembled anew"}
	}
	return nil
}

// Apply lays the series and the overlay on the assembled tree of the sidecar
// variant. With relock, patches/tree.lock takes the trees that come out.
func Apply(ctx context.Context, env Env, relock bool) error {
	digest, err := inputs(env)
	if err != nil {
		return err
	}
	if relock {
		digest = ""
	}
	s := scratch.Of(env.Layout, env.Steps.Out)
	return env.Steps.Run(ctx, step.Step{
		Name:    "apply-" + string(layout.Sidecar),
		Title:   "Apply the patch series and the overlay",
		Inputs:  digest,
		Outputs: []string{filepath.Join(s.Repo.Dir, ".git")},
		Repeat:  tool + "apply",
		Do:      func(ctx context.Context) error { return s.Apply(ctx, relock) },
	})
}

// Generate makes the generated code of the sidecar variant.
func Generate(ctx context.Context, env Env) error {
	digest, err := inputs(env)
	if err != nil {
		return err
	}
	s := scratch.Of(env.Layout, env.Steps.Out)
	st, err := s.State(ctx)
	if err != nil {
		return err
	}
	if st.Work() {
		fmt.Fprintf(env.Steps.Out, "    %s holds work that is not exported: it is used as it is (see %sstatus)\n", s.Repo.Dir, tool)
		return nil
	}
	if st.Stage != "generated" {
		if err := env.Steps.Forget("generate-" + string(layout.Sidecar)); err != nil {
			return err
		}
	}
	return env.Steps.Run(ctx, step.Step{
		Name:   "generate-" + string(layout.Sidecar),
		Title:  "Generate code for the packages that the series touches",
		Inputs: digest,
		Repeat: tool + "generate",
		Do:     func(ctx context.Context) error { return s.Generate(ctx, Generators(env), false) },
	})
}

// Generators is the folder of the compiled code generators.
func Generators(env Env) string { return env.Output("generators") }

// Applied reports whether the scratch repository of the sidecar variant was
// made from patches/ and staging/ as they are now.
func Applied(env Env) (bool, error) {
	digest, err := inputs(env)
	if err != nil {
		return false, err
	}
	s := scratch.Of(env.Layout, env.Steps.Out)
	return env.Steps.Fresh(step.Step{Name: "apply-" + string(layout.Sidecar), Inputs: digest, Outputs: []string{filepath.Join(s.Repo.Dir, ".git")}}), nil
}
