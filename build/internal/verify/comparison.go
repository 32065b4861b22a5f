package verify

import (
	"context"
	"fmt"
	"os"
	"regexp"

	"sidecar-node/build/internal/e2erun"
)

// comparisonFile says of us only what a spec or a figure shows.
const comparisonFile = "docs/comparison.md"

var namedSpec = regexp.MustCompile("spec `([^`]+)`")

var comparison = Check{
	Name: "comparison",
	What: "the specs that " + comparisonFile + " names are there",
	Mend: "name the spec that shows it now, or take the claim back",
	Run: func(ctx context.Context, r *Repository) error {
		text, err := os.ReadFile(r.Path(comparisonFile))
		if err != nil {
			return err
		}
		specs, err := r.specs(ctx)
		if err != nil {
			return err
		}
		return problems(unknownSpecs(string(text), specs))
	},
}

// unknownSpecs returns a sentence for each spec that the text names and that is not
// among the specs by a part of its name, and one if it names none.
func unknownSpecs(text string, specs []e2erun.Spec) []string {
	named := namedSpec.FindAllStringSubmatch(text, -1)
	if len(named) == 0 {
		return []string{comparisonFile + ": want claims with a spec that shows them, found none"}
	}
	var wrong []string
	for _, n := range named {
		if !e2erun.Named(specs, n[1]) {
			wrong = append(wrong, fmt.Sprintf("%s: no spec has %q in its name", comparisonFile, n[1]))
		}
	}
	return wrong
}
