package verify

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"

	"sidecar-node/build/internal/layout"
	"sidecar-node/build/internal/pipeline"
)

// goExample is a module of its own: it uses the types of this distribution, which
// are made, where the main module uses those of upstream.
const goExample = "examples/go-client"

var goClient = Check{
	Name: "go client",
	What: "the example of a Go client compiles with our types, and its test passes",
	Mend: "hack/sidecarctl generate && go -C " + goExample + " test ./...",
	Run: func(ctx context.Context, r *Repository) error {
		if err := pipeline.Tree(ctx, r.Env, layout.Sidecar); err != nil {
			return err
		}
		for _, args := range [][]string{{"vet", "./..."}, {"test", "./..."}} {
			cmd := exec.CommandContext(ctx, "go", args...)
			cmd.Dir = r.Path(goExample)
			cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=")
			var out bytes.Buffer
			cmd.Stdout, cmd.Stderr = &out, &out
			if err := cmd.Run(); err != nil {
				return fmt.Errorf("go %s in %s: %w\n%s", args[0], goExample, err, bytes.TrimSpace(out.Bytes()))
			}
		}
		return nil
	},
}
