package pipeline

import (
	"context"

	"sidecar-node/build/internal/git"
	"sidecar-node/build/internal/layout"
	"sidecar-node/build/internal/scratch"
	"sidecar-node/build/internal/unit"
)

// exercised are folders in which nothing changes and whose tests go through the
// changed types: round trips of every kind between versions and forms, with random
// content, conversion and defaults.
var exercised = []string{"pkg/api/testing", "pkg/apis/core/v1"}

// TouchedPackages makes the sidecar tree and returns the import paths of the
// packages with tests in which the series, the overlay, the generated code or
// work on top of them changes a file, and of those that go through what changes.
func TouchedPackages(ctx context.Context, env Env) ([]string, error) {
	folders, err := touchedFolders(ctx, env)
	if err != nil {
		return nil, err
	}
	return unit.Packages(ctx, env.Src(layout.Sidecar), folders)
}

// WidePackages is TouchedPackages with all packages around, which could notice the
// feature at all.
func WidePackages(ctx context.Context, env Env) ([]string, error) {
	folders, err := touchedFolders(ctx, env)
	if err != nil {
		return nil, err
	}
	return unit.Packages(ctx, env.Src(layout.Sidecar), unit.Wide(folders))
}

func touchedFolders(ctx context.Context, env Env) ([]string, error) {
	if err := Tree(ctx, env, layout.Sidecar); err != nil {
		return nil, err
	}
	r := git.Repo{Dir: env.Src(layout.Sidecar)}
	work, err := r.WorkTree(ctx)
	if err != nil {
		return nil, err
	}
	changes, err := r.Changes(ctx, scratch.PristineRef, work)
	if err != nil {
		return nil, err
	}
	var paths []string
	for _, c := range changes {
		paths = append(paths, c.Path)
	}
	folders, err := unit.Folders(r.Dir, paths)
	return append(folders, exercised...), err
}
