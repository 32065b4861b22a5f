package main

import (
	"context"
	"fmt"
	"net/netip"
	"slices"

	v1 "k8s.io/api/core/v1"
)

// network brings this host in line with the nodes of the cluster.
type network struct {
	node      string
	cniConfig string
	outside   interface {
		// sync masquerades what the pods with these addresses send out.
		sync(ctx context.Context, local []netip.Prefix) error
	}
	routes interface {
		// sync makes wanted the only routes of the pod network.
		sync(wanted []route) error
	}
	// mtu returns the MTU of the link with that address.
	mtu func(netip.Addr) (int, error)
}

// route is the way to the pods of another node.
type route struct {
	to  netip.Prefix
	via netip.Addr
}

// reconcile does nothing until the controller manager has given this node its
// share of the pod subnet.
func (n *network) reconcile(ctx context.Context, nodes []*v1.Node) error {
	at := slices.IndexFunc(nodes, func(node *v1.Node) bool { return node.Name == n.node })
	if at < 0 {
		return fmt.Errorf("no node %q among the %d nodes of the cluster: want the name of this host", n.node, len(nodes))
	}
	local, err := podCIDRs(nodes[at])
	if err != nil {
		return err
	}
	addresses := internalIPs(nodes[at])
	if len(local) == 0 || len(addresses) == 0 {
		return fmt.Errorf("node %s has pod subnets %v and addresses %v: want both, trying again", n.node, local, addresses)
	}
	wanted, err := routesTo(nodes, n.node)
	if err != nil {
		return err
	}
	if err := n.routes.sync(wanted); err != nil {
		return err
	}
	if err := n.outside.sync(ctx, local); err != nil {
		return err
	}
	mtu, err := n.mtu(addresses[0])
	if err != nil {
		return err
	}
	// Last: with this file the node turns ready.
	return writeCNIConfig(n.cniConfig, local, mtu)
}
