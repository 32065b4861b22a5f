// Command podnetwork is the pod network of a node: it writes the CNI
// configuration for the node's share of the pod subnet, keeps a route to every
// other node's share, and masquerades what pods send out of the cluster.
//
// All nodes of a kind cluster share one network segment, so plain routes with
// the other node as gateway are enough and no packet is encapsulated.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"k8s.io/klog/v2"
)

// options come from the DaemonSet, see images/node/manifests.
type options struct {
	// node is the name of the Node object of this host.
	node string
	// podSubnets is the comma-separated list of the cluster's pod subnets.
	podSubnets string
	// endpoint is host:port of the API server on the nodes' network. It is
	// tried first because the Service address works only once kube-proxy does.
	endpoint string
	// cniConfig is the file to write the CNI configuration to.
	cniConfig string
}

func main() {
	klog.InitFlags(nil)
	o := options{
		node:       os.Getenv("NODE_NAME"),
		podSubnets: os.Getenv("POD_SUBNET"),
		endpoint:   os.Getenv("CONTROL_PLANE_ENDPOINT"),
	}
	flag.StringVar(&o.cniConfig, "cni-config", "/etc/cni/net.d/10-pod-network.conflist", "the file to write the CNI configuration to")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, o); err != nil && !errors.Is(err, context.Canceled) {
		fmt.Fprintln(os.Stderr, "podnetwork:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o options) error {
	if o.node == "" {
		return errors.New("environment variable NODE_NAME is empty: want the name of this node")
	}
	subnets, err := parseSubnets(o.podSubnets)
	if err != nil {
		return fmt.Errorf("environment variable POD_SUBNET: %w", err)
	}
	client, err := connect(ctx, o.endpoint)
	if err != nil {
		return err
	}
	masquerade, err := newMasquerade(subnets)
	if err != nil {
		return err
	}
	n := &network{
		node:      o.node,
		cniConfig: o.cniConfig,
		outside:   masquerade,
		routes:    kernelRoutes{},
		mtu:       linkMTU,
	}
	return watch(ctx, client, n.reconcile)
}
