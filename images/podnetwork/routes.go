package main

import (
	"errors"
	"fmt"
	"net"
	"net/netip"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// protocol marks the routes of the pod network in the kernel, so that stale
// ones are found again. The number is free in /etc/iproute2/rt_protos.
const protocol = netlink.RouteProtocol(173)

// kernelRoutes keeps routes in the main routing table of this host.
type kernelRoutes struct{}

func (kernelRoutes) sync(wanted []route) error {
	keep := map[string]bool{}
	for _, r := range wanted {
		keep[r.to.String()] = true
		err := netlink.RouteReplace(&netlink.Route{
			Dst:      ipNet(r.to),
			Gw:       net.IP(r.via.AsSlice()),
			Protocol: protocol,
		})
		if err != nil {
			return fmt.Errorf("route to %s via %s: %w", r.to, r.via, err)
		}
	}
	ours, err := netlink.RouteListFiltered(netlink.FAMILY_ALL, &netlink.Route{Protocol: protocol}, netlink.RT_FILTER_PROTOCOL)
	if err != nil {
		return fmt.Errorf("list routes: %w", err)
	}
	for _, r := range ours {
		if r.Dst == nil || keep[r.Dst.String()] {
			continue
		}
		if err := netlink.RouteDel(&r); err != nil && !errors.Is(err, unix.ESRCH) {
			return fmt.Errorf("remove the route to %s: %w", r.Dst, err)
		}
	}
	return nil
}

func ipNet(p netip.Prefix) *net.IPNet {
	return &net.IPNet{IP: net.IP(p.Addr().AsSlice()), Mask: net.CIDRMask(p.Bits(), p.Addr().BitLen())}
}

// linkMTU returns the MTU of the link that has the address.
func linkMTU(address netip.Addr) (int, error) {
	links, err := netlink.LinkList()
	if err != nil {
		return 0, fmt.Errorf("list links: %w", err)
	}
	for _, link := range links {
		addresses, err := netlink.AddrList(link, netlink.FAMILY_ALL)
		if err != nil {
			return 0, fmt.Errorf("list addresses of %s: %w", link.Attrs().Name, err)
		}
		for _, a := range addresses {
			if ip, ok := netip.AddrFromSlice(a.IP); ok && ip.Unmap() == address {
				return link.Attrs().MTU, nil
			}
		}
	}
	return 0, fmt.Errorf("no link of this host has the node's address %s", address)
}
