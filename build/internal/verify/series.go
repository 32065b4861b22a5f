package verify

import (
	"context"
	"errors"
	"io"

	"sidecar-node/build/internal/assemble"
	"sidecar-node/build/internal/git"
	"sidecar-node/build/internal/layout"
	"sidecar-node/build/internal/patchset"
	"sidecar-node/build/internal/pipeline"
	"sidecar-node/build/internal/scratch"
)

var patchForm = Check{
	Name: "patch form",
	What: "every patch is listed, has a complete header and touches no generated file",
	Mend: "make export, which writes patches in this form",
	Run: func(_ context.Context, r *Repository) error {
		return patchset.Lint(r.Path("patches"))
	},
}

var roundTrip = Check{
	Name:      "round trip",
	What:      "the series applies to exactly the files it was made from, and export gives back the same bytes",
	Mend:      "make apply export",
	NeedsTree: true,
	Run: func(ctx context.Context, r *Repository) error {
		return scratch.Of(r.Layout, io.Discard).CheckExport(ctx)
	},
}

var generatedCode = Check{
	Name:      "generated code",
	What:      "the generators give upstream's files on the untouched tree, and on ours the pinned ones",
	Mend:      "make generate",
	NeedsTree: true,
	Run: func(ctx context.Context, r *Repository) error {
		return pipeline.CheckPristine(ctx, r.Env)
	},
}

// pristine returns the scratch repository that holds the untouched tree, and
// the id of its commit.
func pristine(ctx context.Context, r *Repository) (git.Repo, string, error) {
	repo := git.Repo{Dir: r.Src(layout.Sidecar)}
	commit, err := repo.Resolve(ctx, assemble.PristineRef)
	if err == nil && commit == "" {
		err = errors.New("there is no assembled tree to compare with: make apply")
	}
	return repo, commit, err
}
