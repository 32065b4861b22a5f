package main

import (
	"context"
	"io"

	"sidecar-node/build/internal/cluster"
	"sidecar-node/build/internal/engine"
	"sidecar-node/build/internal/layout"
)

// gateOffCluster is the name of the cluster that the suite makes for itself.
const gateOffCluster = "sidecar-gate-off"

// e2eCluster makes sure that the cluster for the suite runs: the one of make
// cluster, or one with the gate off.
func (e *environment) e2eCluster(ctx context.Context, gateOff bool, out io.Writer) (*cluster.Cluster, error) {
	eng, err := engine.Find(ctx)
	if err != nil {
		return nil, err
	}
	flags := clusterFlags{name: defaultCluster, variant: string(layout.Sidecar)}
	if gateOff {
		flags.name, flags.config = gateOffCluster, e.Path("examples", "kind-gate-off.yaml")
	}
	c, err := flags.cluster(e, eng, out)
	if err != nil {
		return nil, err
	}
	c.UserKubeconfig = c.UserKubeconfig && !gateOff
	state, err := c.State(ctx)
	if err != nil {
		return nil, err
	}
	if state == cluster.Absent {
		if err := e.nodeImage(ctx, eng, layout.Sidecar); err != nil {
			return nil, err
		}
	}
	_, err = c.Ensure(ctx)
	return c, err
}
