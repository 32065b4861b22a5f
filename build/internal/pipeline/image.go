package pipeline

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"sidecar-node/build/internal/layout"
	"sidecar-node/build/internal/lock"
	"sidecar-node/build/internal/nodeimage"
	"sidecar-node/build/internal/oci"
	"sidecar-node/build/internal/step"
)

// BuiltImage is an image in an archive.
type BuiltImage struct {
	// Archive is a file for docker load and podman load.
	Archive string
	// Names are the names of the image in the archive.
	Names []string
	// ID is the ID that an engine gives to the image once it is loaded.
	ID string
}

// Image makes the node image of a variant with everything that it needs.
// Binaries that are not empty name a folder with Kubernetes binaries to use
// instead of those that Binaries compiles.
func Image(ctx context.Context, env Env, v layout.Variant, binaries string) (*BuiltImage, error) {
	l, err := env.Lock()
	if err != nil {
		return nil, err
	}
	components, err := Components(ctx, env, nil)
	if err != nil {
		return nil, err
	}
	trees, err := Rootfs(ctx, env, []string{"node", "tools"})
	if err != nil {
		return nil, err
	}
	if err := components.Programs(ctx, env.Root, map[string]string{
		"podnetwork": "./images/podnetwork",
		"probe":      "./images/probe",
	}); err != nil {
		return nil, err
	}
	if err := pause(ctx, env, l, components.Path("pause")); err != nil {
		return nil, err
	}
	if binaries == "" {
		if _, err := Binaries(ctx, env, v); err != nil {
			return nil, err
		}
		binaries = env.Bin(v)
	}
	kindFiles, err := nodeimage.KindFiles(ctx, env.Root)
	if err != nil {
		return nil, err
	}
	made := &BuiltImage{
		Archive: env.Output("images", string(v), "node.tar"),
		Names:   ImageNames(l, v),
	}
	return made, env.Steps.Run(ctx, step.Step{
		Name:   "image-" + string(v),
		Title:  "write the node image " + made.Names[1],
		Repeat: "hack/sidecarctl image --variant " + string(v),
		// Always: its layers know themselves whether they are up to date.
		Do: func(ctx context.Context) error {
			result, err := nodeimage.Build(ctx, nodeimage.Input{
				Layout: env.Layout, Variant: v, GitVersion: l.GitVersion(v),
				Kubernetes: binaries, Components: components,
				NodeTree: trees["node"], ToolsTree: trees["tools"], KindFiles: kindFiles,
			})
			if err != nil {
				return err
			}
			return env.finish(result, made)
		},
	})
}

// ImageNames are the names of the node image of a variant: the one without a
// version first.
func ImageNames(l *lock.Lock, v layout.Variant) []string {
	repository := "sidecar-node"
	if v == layout.Stock {
		repository = "sidecar-node-stock"
	}
	return []string{repository + ":latest", repository + ":" + l.ImageTag(v)}
}

// finish checks the budget, writes the report, and writes the archive unless
// it holds the same image already.
func (e Env) finish(result *nodeimage.Result, made *BuiltImage) error {
	config, err := result.ConfigName()
	if err != nil {
		return err
	}
	made.ID = config.Hex
	budget, err := nodeimage.ReadBudget(e.Path("images", "node", "budget.txt"))
	if err != nil {
		return err
	}
	if err := made.write(result.Image); err != nil {
		return err
	}
	report, err := sizes(result, made)
	if err != nil {
		return err
	}
	fmt.Fprint(e.Steps.Out, report)
	file := e.Output("reports", "image-"+strings.ReplaceAll(made.Names[1], ":", "-")+".txt")
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(file, []byte(report+"\nPreloaded images:\n"+strings.Join(result.Preloaded, "\n")+"\n"), 0o644); err != nil {
		return err
	}
	return budget.Check(result.Layers)
}

// write writes the archive unless it holds the image already.
func (made *BuiltImage) write(img v1.Image) error {
	stamp := made.Archive + ".id"
	old, err := os.ReadFile(stamp)
	if _, missing := os.Stat(made.Archive); err == nil && missing == nil && string(old) == made.ID {
		return nil
	}
	if err := os.RemoveAll(stamp); err != nil {
		return err
	}
	if err := oci.WriteArchive(made.Archive, img, made.Names); err != nil {
		return err
	}
	return os.WriteFile(stamp, []byte(made.ID), 0o644)
}

// sizes is a table of the layers, the whole and the archive, in MiB.
func sizes(result *nodeimage.Result, made *BuiltImage) (string, error) {
	info, err := os.Stat(made.Archive)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "layer\tcompressed MiB\tunpacked MiB\t\n")
	row := func(s nodeimage.Size) {
		fmt.Fprintf(w, "%s\t%.1f\t%.1f\t\n", s.Name, float64(s.Compressed)/(1<<20), float64(s.Unpacked)/(1<<20))
	}
	total := nodeimage.Size{Name: "total"}
	for _, s := range result.Layers {
		row(s)
		total.Compressed += s.Compressed
		total.Unpacked += s.Unpacked
	}
	row(total)
	row(nodeimage.Size{Name: "archive", Compressed: info.Size(), Unpacked: total.Unpacked})
	if err := w.Flush(); err != nil {
		return "", err
	}
	return b.String(), nil
}
