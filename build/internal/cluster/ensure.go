package cluster

import (
	"context"
	"fmt"
)

// Ensure makes the cluster exist and be ready: a new one is created, stopped
// nodes are started, the remains of an interrupted creation are replaced, and a
// cluster that runs is left as it is. It returns the state in which the cluster
// was found.
func (c *Cluster) Ensure(ctx context.Context) (state State, err error) {
	err = c.locked(ctx, func() error {
		state, err = c.ensure(ctx)
		return err
	})
	return state, err
}

func (c *Cluster) ensure(ctx context.Context) (State, error) {
	state, err := c.State(ctx)
	if err != nil {
		return state, err
	}
	switch state {
	case Absent:
		return state, c.create(ctx)
	case Stopped:
		if err := c.start(ctx); err != nil {
			return state, err
		}
	}
	if err := c.writeKubeconfig(ctx); err != nil {
		// kind reads it from the control plane, where kubeadm writes it early.
		fmt.Fprintf(c.Out, "==> cluster %s is the remains of an interrupted creation: replace it\n", c.Name)
		if err := c.delete(ctx); err != nil {
			return state, err
		}
		return state, c.create(ctx)
	}
	if state == Stopped {
		return state, c.AwaitReady(ctx)
	}
	if _, err := output(c.kubectl(ctx, "get", "--raw", "/readyz", "--request-timeout=15s")); err != nil {
		return state, fmt.Errorf("the nodes of cluster %s run, but its API server isn't ready: %w\nto replace the cluster: make delete-cluster cluster", c.Name, err)
	}
	return state, c.AwaitReady(ctx)
}

// start starts the cluster's stopped nodes.
func (c *Cluster) start(ctx context.Context) error {
	names, err := c.nodes(ctx)
	if err != nil {
		return err
	}
	fmt.Fprintf(c.Out, "==> start the stopped nodes of cluster %s\n", c.Name)
	if _, err := output(c.Engine.Command(ctx, append([]string{"start"}, names...)...)); err != nil {
		return fmt.Errorf("%w\nto replace the cluster: make delete-cluster cluster", err)
	}
	return nil
}
