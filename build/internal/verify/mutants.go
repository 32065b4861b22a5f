package verify

import (
	"context"
	"fmt"

	"sidecar-node/build/internal/e2erun"
	"sidecar-node/build/internal/layout"
	"sidecar-node/build/internal/mutant"
	"sidecar-node/build/internal/pipeline"
)

var mutants = Check{
	Name:      "mutants",
	What:      "every mutant of the cluster suite applies to the tree, and the specs that have to catch it are there",
	Mend:      "change e2e/mutants.yaml as the error says; make e2e-mutants runs them",
	NeedsTree: true,
	Run: func(ctx context.Context, r *Repository) error {
		list, err := mutant.Load(r.Path("e2e", "mutants.yaml"))
		if err != nil {
			return err
		}
		if err := pipeline.Tree(ctx, r.Env, layout.Sidecar); err != nil {
			return err
		}
		specs, err := r.specs(ctx)
		if err != nil {
			return err
		}
		var wrong []string
		for _, m := range list {
			if _, err := m.Files(r.Src(layout.Sidecar)); err != nil {
				wrong = append(wrong, err.Error())
			}
			for _, part := range m.Specs {
				if !e2erun.Named(specs, part) {
					wrong = append(wrong, fmt.Sprintf("mutant %s: no spec has %q in its name: name the one that guards the hook now", m.Name, part))
				}
			}
		}
		return problems(wrong)
	},
}
