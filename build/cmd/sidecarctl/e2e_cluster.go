package main

import (
	"context"
	"os"
	"path/filepath"

	"sidecar-node/build/internal/cluster"
	"sidecar-node/build/internal/engine"
	"sidecar-node/build/internal/layout"
)

// e2eCluster makes sure that the cluster for the suite runs and returns its
// kubeconfig: the one of make cluster, or one of its own with the gate off.
func (e *environment) e2eCluster(ctx context.Context, gateOff bool) (string, error) {
	eng, err := engine.Find(ctx)
	if err != nil {
		return "", err
	}
	name, config := "sidecar", e.Path("kind.yaml")
	if gateOff {
		name, config = "sidecar-gate-off", e.Path("examples", "kind-gate-off.yaml")
	}
	c := cluster.Cluster{
		Name: name, Config: config, Image: "sidecar-node", Engine: eng, Root: e.Root,
		Kubeconfig: e.Output("kubeconfig", name),
		Kubectl:    filepath.Join(e.Bin(layout.Sidecar), "kubectl"),
		Reports:    e.Output("reports"),
		Out:        os.Stdout,
	}
	_, err = c.Ensure(ctx)
	return c.Kubeconfig, err
}
