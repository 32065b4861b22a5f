package pipeline

import (
	"context"

	"sidecar-node/build/internal/codegen"
	"sidecar-node/build/internal/layout"
	"sidecar-node/build/internal/patchset"
	"sidecar-node/build/internal/scratch"
	"sidecar-node/build/internal/step"
)

// Export writes commits back to patches/ and staging/ and then makes the
// scratch repository from them again, with generated code.
func Export(ctx context.Context, env Env, from scratch.Source) error {
	if from.Dir != "" {
		if err := Assemble(ctx, env, layout.Sidecar); err != nil {
			return err
		}
	}
	s := scratch.Of(env.Layout, env.Steps.Out)
	err := env.Steps.Run(ctx, step.Step{
		Name:   "export",
		Title:  "Export the commits of the scratch repository",
		Repeat: tool + "export",
		Do:     func(ctx context.Context) error { return s.Export(ctx, from) },
	})
	if err != nil {
		return err
	}
	return Tree(ctx, env, layout.Sidecar)
}

// CheckExport makes the tree, exports it beside patches/ and staging/ and
// returns an error that names what differs.
func CheckExport(ctx context.Context, env Env) error {
	digest, err := inputs(env)
	if err != nil {
		return err
	}
	if err := Tree(ctx, env, layout.Sidecar); err != nil {
		return err
	}
	s := scratch.Of(env.Layout, env.Steps.Out)
	return env.Steps.Run(ctx, step.Step{
		Name:   "check-export",
		Title:  "Check that the series applies and exports to the same bytes",
		Inputs: checked(env, digest),
		Repeat: tool + "export --check",
		Do:     s.CheckExport,
	})
}

// CheckPristine proves that the generators give upstream's files on the
// untouched tree.
func CheckPristine(ctx context.Context, env Env) error {
	digest, err := inputs(env)
	if err != nil {
		return err
	}
	if err := Tree(ctx, env, layout.Sidecar); err != nil {
		return err
	}
	s := scratch.Of(env.Layout, env.Steps.Out)
	version, err := codegen.Version(ctx)
	if err != nil {
		return err
	}
	return env.Steps.Run(ctx, step.Step{
		Name:   "check-pristine",
		Title:  "Check that the generators give upstream's files on the untouched tree",
		Inputs: digest + " " + version,
		Repeat: tool + "generate --check-pristine",
		Do:     func(ctx context.Context) error { return s.CheckPristine(ctx, Generators(env)) },
	})
}

// checked adds the files that only a check reads to the digest of the inputs.
func checked(env Env, digest string) string {
	l, err := patchset.ReadTreeLock(env.Path("patches", "tree.lock"))
	if err != nil {
		return ""
	}
	return digest + " " + string(l.Format())
}
