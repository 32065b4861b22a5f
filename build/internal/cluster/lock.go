package cluster

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"sidecar-node/build/internal/filelock"
)

// locked runs do while no other process creates, mends or deletes the cluster
// of that name. All checkouts share the engine, so the lock is one of the
// user, outside of the checkout.
func (c *Cluster) locked(ctx context.Context, do func() error) error {
	name := filepath.Join(os.TempDir(), fmt.Sprintf("sidecar-node-%d-%s.lock", os.Getuid(), c.Name))
	release, err := filelock.Hold(ctx, name, func() {
		fmt.Fprintf(c.Out, "==> another process works on cluster %s: wait for it\n", c.Name)
	})
	if err != nil {
		return err
	}
	defer release()
	return do()
}
