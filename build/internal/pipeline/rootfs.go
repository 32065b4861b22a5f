package pipeline

import (
	"context"
	"sidecar-node/build/internal/rootfs"
)

// Rootfs makes the Debian trees of the given names and returns their tar files
// by name.
func Rootfs(ctx context.Context, env Env, names []string) (map[string]string, error) {
	b := rootfs.Builder{Dir: env.Output("rootfs"), Reports: env.Output("reports"), Steps: env.Steps}
	files := map[string]string{}
	for _, n := range names {
		spec, err := rootfs.ReadSpec(env.Path("images", "rootfs", n+".yaml"))
		if err != nil {
			return nil, err
		}
		if err := b.Build(ctx, spec); err != nil {
			return nil, err
		}
		files[n] = b.Path(spec)
	}
	return files, nil
}
