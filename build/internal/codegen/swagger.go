package codegen

import (
	"bytes"
	"context"
	"fmt"
	"go/format"
	"os"
	"path/filepath"
)

// Markers around the methods in the files of swagger documentation.
const (
	swaggerStart = "// AUTO-GENERATED FUNCTIONS START HERE. DO NOT EDIT.\n"
	swaggerEnd   = "// AUTO-GENERATED FUNCTIONS END HERE\n"
)

// swagger writes the methods that return the documentation of the types. The
// head of the file stays as it is in the tree.
func (g *run) swagger(ctx context.Context) error {
	for _, d := range g.plan.Swagger {
		file := filepath.Join(g.dir, filepath.FromSlash(d), "types_swagger_doc_generated.go")
		old, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		head, _, ok := bytes.Cut(old, []byte(swaggerStart))
		if !ok {
			return fmt.Errorf("%s: no line %q", file, swaggerStart)
		}
		methods, err := g.tool(ctx, "genswaggertypedocs", "-s", filepath.Join(g.dir, filepath.FromSlash(d), "types.go"), "-f", "-")
		if err != nil {
			return err
		}
		source := bytes.Join([][]byte{head, []byte(swaggerStart), methods, []byte(swaggerEnd)}, nil)
		if source, err = format.Source(source); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		if err := os.WriteFile(file, source, 0o644); err != nil {
			return err
		}
	}
	return nil
}
