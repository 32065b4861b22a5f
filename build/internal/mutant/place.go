package mutant

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"sidecar-node/build/internal/digest"
	"sidecar-node/e2e/framework"
)

// Place puts binaries in the place of those of a running cluster.
type Place struct {
	// Nodes are all nodes of the cluster.
	Nodes []*framework.Node
}

// Put makes the component run from a file of this machine on every node that has it,
// and returns when it does. What was there is kept aside on the node.
func (p Place) Put(ctx context.Context, component, file string) error {
	sum, err := digest.File(file)
	if err != nil {
		return err
	}
	found := false
	for _, node := range p.Nodes {
		do := putStaticPod
		if component == kubelet {
			do = putKubelet
		} else if has, err := node.Shell(ctx, "ls "+manifestFile(component)+" 2>/dev/null || true"); err != nil {
			return err
		} else if strings.TrimSpace(has) == "" {
			continue
		}
		found = true
		if err := do(ctx, node, component, file, sum); err != nil {
			return fmt.Errorf("%s on node %s: %w", component, node.Name, err)
		}
	}
	if !found {
		return fmt.Errorf("%s is a static pod on none of the nodes", component)
	}
	return nil
}

// Restore puts back what any run has kept aside, on all nodes, and returns when it
// runs. Where there is nothing it does nothing.
func (p Place) Restore(ctx context.Context) error {
	var errs []error
	for _, node := range p.Nodes {
		errs = append(errs, restoreKubelet(ctx, node))
		for _, component := range Components {
			if component != kubelet {
				errs = append(errs, restoreStaticPod(ctx, node, component))
			}
		}
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("a node may still run what is not its own: %w\nto get a clean one: make delete-cluster cluster", err)
	}
	return nil
}

// write copies a file of this machine to the node.
func write(ctx context.Context, node *framework.Node, file, to string) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	return node.WriteFile(ctx, to, 0o755, f)
}
