package cluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// locked runs do while no other process creates, mends or deletes the cluster
// of that name. All checkouts share the engine, so the lock is one of the
// user, outside of the checkout; the kernel lets go of it when the process
// ends.
func (c *Cluster) locked(ctx context.Context, do func() error) error {
	name := filepath.Join(os.TempDir(), fmt.Sprintf("sidecar-node-%d-%s.lock", os.Getuid(), c.Name))
	f, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	for announced := false; ; {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			return do()
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) {
			return fmt.Errorf("lock %s: %w", name, err)
		}
		if !announced {
			fmt.Fprintf(c.Out, "==> another process works on cluster %s: wait for it\n", c.Name)
			announced = true
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(500 * time.Millisecond):
		}
	}
}
