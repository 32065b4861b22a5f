package pipeline

import (
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"sidecar-node/build/internal/component"
	"sidecar-node/build/internal/lock"
	"sidecar-node/build/internal/step"
)

// Components compiles the components of the given names, or all.
func Components(ctx context.Context, env Env, names []string) (*component.Builder, error) {
	selected, err := component.Select(names)
	if err != nil {
		return nil, err
	}
	b := &component.Builder{
		Root:  env.Path("images", "components"),
		Bin:   env.Output("components", "bin"),
		Steps: env.Steps,
	}
	return b, b.Build(ctx, selected)
}

// pause compiles the program that holds the namespaces of a pod from the C
// source in the Kubernetes module.
func pause(ctx context.Context, env Env, l *lock.Lock, target string) error {
	return env.Steps.Run(ctx, step.Step{
		Name:    "component-pause",
		Title:   "compile pause of Kubernetes " + l.Kubernetes,
		Inputs:  l.Kubernetes + " 1",
		Outputs: []string{target},
		Repeat:  "hack/sidecarctl image",
		Do: func(ctx context.Context) error {
			out, err := exec.CommandContext(ctx, "go", "mod", "download", "-json", lock.Main+"@"+l.Kubernetes).Output()
			if err != nil {
				return fmt.Errorf("download %s@%s: %w\n%s", lock.Main, l.Kubernetes, err, out)
			}
			var module struct{ Dir string }
			if err := json.Unmarshal(out, &module); err != nil {
				return err
			}
			return component.Static(ctx, target, filepath.Join(module.Dir, "build", "pause", "linux", "pause.c"), "-DVERSION="+l.Kubernetes)
		},
	})
}
