package pipeline

import (
	"context"
	"fmt"
	"os"

	"sidecar-node/build/internal/oci"
	"sidecar-node/build/internal/step"
	"sidecar-node/build/internal/workloads"
)

// Workloads makes the image of the programs that the manifests in examples/real
// run. It is loaded into the nodes of a running cluster, see Cluster.LoadImage.
func Workloads(ctx context.Context, env Env) (*BuiltImage, error) {
	trees, err := Rootfs(ctx, env, []string{"workloads"})
	if err != nil {
		return nil, err
	}
	made := &BuiltImage{Archive: env.Output("images", "workloads.tar"), Names: []string{workloads.Name}}
	return made, env.Steps.Run(ctx, step.Step{
		Name:   "image-workloads",
		Title:  "write the image " + workloads.Name,
		Repeat: "hack/sidecarctl workloads",
		// Always: its layer knows itself whether it is up to date.
		Do: func(ctx context.Context) error {
			img, err := workloads.Image(workloads.Input{
				Tree:  trees["workloads"],
				Files: env.Path("images", "workloads", "files"),
				Store: oci.Store{Dir: env.Output("images", "layers")},
			})
			if err != nil {
				return err
			}
			id, err := img.ConfigName()
			if err != nil {
				return err
			}
			made.ID = id.Hex
			if err := made.write(img); err != nil {
				return err
			}
			info, err := os.Stat(made.Archive)
			if err != nil {
				return err
			}
			fmt.Fprintf(env.Steps.Out, "%s: %.1f MiB\n", made.Archive, float64(info.Size())/(1<<20))
			return nil
		},
	})
}
