package pipeline

import (
	"context"
	"fmt"
	"path/filepath"

	"sidecar-node/build/internal/assemble"
	"sidecar-node/build/internal/compile"
	"sidecar-node/build/internal/git"
	"sidecar-node/build/internal/layout"
	"sidecar-node/build/internal/scratch"
	"sidecar-node/build/internal/step"
)

// Binaries makes the tree of a variant and compiles the Kubernetes binaries
// from it into layout.Bin. Binaries whose sources have not changed are left as
// they are.
func Binaries(ctx context.Context, env Env, v layout.Variant) (*compile.Result, error) {
	b, err := Build(ctx, env, v)
	if err != nil {
		return nil, err
	}
	inputs, err := b.Inputs(ctx)
	if err != nil {
		return nil, err
	}
	outputs := []string{filepath.Join(b.Bin, compile.ManifestFile)}
	for _, n := range compile.Commands {
		outputs = append(outputs, filepath.Join(b.Bin, n))
	}
	err = env.Steps.Run(ctx, step.Step{
		Name:    "compile-" + string(v),
		Title:   fmt.Sprintf("Compile Kubernetes %s", b.Lock.GitVersion(v)),
		Inputs:  inputs,
		Outputs: outputs,
		Repeat:  fmt.Sprintf(tool+"compile --variant %s", v),
		Do:      b.Run,
	})
	if err != nil {
		return nil, err
	}
	return b.Result()
}

// Build makes the tree of a variant and returns the build of its binaries.
func Build(ctx context.Context, env Env, v layout.Variant) (*compile.Build, error) {
	if err := Tree(ctx, env, v); err != nil {
		return nil, err
	}
	l, err := env.Lock()
	if err != nil {
		return nil, err
	}
	base := assemble.PristineRef
	if v == layout.Sidecar {
		base = scratch.AppliedRef
	}
	return &compile.Build{Variant: v, Lock: l, Tree: git.Repo{Dir: env.Src(v)}, Base: base, Bin: env.Bin(v), Out: env.Steps.Out}, nil
}
