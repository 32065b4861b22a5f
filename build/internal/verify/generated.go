package verify

import (
	"context"
)

var generatedCode = Check{
	Name:      "generated code",
	What:      "generating again gives the same files",
	Mend:      "make generate",
	NeedsTree: true,
	Run: func(ctx context.Context, r *Repository) error {
		return nil
	},
}
