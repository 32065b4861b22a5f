package main

import (
	"fmt"
	"net/netip"
	"strings"

	v1 "k8s.io/api/core/v1"
)

// parseSubnets parses a comma-separated list of subnets.
func parseSubnets(list string) ([]netip.Prefix, error) {
	var subnets []netip.Prefix
	for _, s := range strings.Split(list, ",") {
		p, err := netip.ParsePrefix(strings.TrimSpace(s))
		if err != nil {
			return nil, fmt.Errorf("%q: want subnets such as 10.244.0.0/16 separated by commas: %w", list, err)
		}
		subnets = append(subnets, p.Masked())
	}
	return subnets, nil
}

// podCIDRs returns the node's shares of the pod subnets, one an IP family.
func podCIDRs(node *v1.Node) ([]netip.Prefix, error) {
	var shares []netip.Prefix
	for _, s := range node.Spec.PodCIDRs {
		p, err := netip.ParsePrefix(s)
		if err != nil {
			return nil, fmt.Errorf("node %s: podCIDRs: %w", node.Name, err)
		}
		shares = append(shares, p.Masked())
	}
	return shares, nil
}

// internalIPs returns the addresses of the node on the network of the nodes.
func internalIPs(node *v1.Node) []netip.Addr {
	var addresses []netip.Addr
	for _, a := range node.Status.Addresses {
		if a.Type != v1.NodeInternalIP {
			continue
		}
		if ip, err := netip.ParseAddr(a.Address); err == nil {
			addresses = append(addresses, ip.Unmap())
		}
	}
	return addresses
}

// placeOf is what routes depend on, in a form that compares.
func placeOf(node *v1.Node) string {
	return fmt.Sprint(node.Spec.PodCIDRs, internalIPs(node))
}

// routesTo returns the routes from the node named here to the pods of all
// others. Nodes that have no share or no address of its family yet have none.
func routesTo(nodes []*v1.Node, here string) ([]route, error) {
	var routes []route
	for _, node := range nodes {
		if node.Name == here {
			continue
		}
		shares, err := podCIDRs(node)
		if err != nil {
			return nil, err
		}
		for _, share := range shares {
			for _, ip := range internalIPs(node) {
				if ip.Is4() == share.Addr().Is4() {
					routes = append(routes, route{to: share, via: ip})
					break
				}
			}
		}
	}
	return routes, nil
}
