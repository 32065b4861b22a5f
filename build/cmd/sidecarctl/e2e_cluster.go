package main

import (
	"context"
	"fmt"
	"io"

	"sidecar-node/build/internal/cluster"
	"sidecar-node/build/internal/e2erun"
	"sidecar-node/build/internal/engine"
	"sidecar-node/build/internal/layout"
)

// suiteCluster describes a cluster for the suite. Its name is name for the gate
// on, and longer for the others.
func (e *environment) suiteCluster(name string, gate e2erun.Gate, eng *engine.Engine, out io.Writer) (*cluster.Cluster, error) {
	flags := clusterFlags{name: name, variant: string(layout.Sidecar)}
	switch gate {
	case e2erun.GateOff:
		flags.name, flags.config = name+"-gate-off", e.Path("examples", "kind-gate-off.yaml")
	case e2erun.GateMixed:
		flags.name, flags.config = name+"-gate-mixed", e.Path("examples", "kind-mixed-versions.yaml")
	}
	c, err := flags.cluster(e, eng, out)
	if err != nil {
		return nil, err
	}
	if gate == e2erun.GateMixed {
		c.OtherImages = []string{stockImage}
	}
	c.UserKubeconfig = c.UserKubeconfig && gate == e2erun.GateOn
	return c, nil
}

// suiteImages makes the node images of a cluster for the suite.
func (e *environment) suiteImages(ctx context.Context, gate e2erun.Gate, eng *engine.Engine) error {
	if err := e.nodeImage(ctx, eng, layout.Sidecar); err != nil || gate != e2erun.GateMixed {
		return err
	}
	return e.nodeImage(ctx, eng, layout.Stock)
}

// e2eCluster makes sure that the cluster for the suite runs: the one of make
// cluster, or one of its own.
func (e *environment) e2eCluster(ctx context.Context, gate e2erun.Gate, out io.Writer) (*cluster.Cluster, error) {
	return e.ensureCluster(ctx, defaultCluster, gate, out)
}

// ensureCluster makes sure that a cluster with that kind of nodes runs, whose name begins
// with name.
func (e *environment) ensureCluster(ctx context.Context, name string, gate e2erun.Gate, out io.Writer) (*cluster.Cluster, error) {
	eng, err := engine.Find(ctx)
	if err != nil {
		return nil, err
	}
	c, err := e.suiteCluster(name, gate, eng, out)
	if err != nil {
		return nil, err
	}
	// Also if the cluster exists, to know whether it has what the sources say.
	if err := e.suiteImages(ctx, gate, eng); err != nil {
		return nil, err
	}
	found, err := c.Ensure(ctx)
	if found == cluster.Outdated {
		fmt.Fprintf(out, "==> CAUTION: cluster %s is of an earlier build and is tested as it is; for the present one run first: hack/sidecarctl delete-cluster --name %s\n", c.Name, c.Name)
	}
	return c, err
}
