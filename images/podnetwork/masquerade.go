package main

import (
	"context"
	"fmt"
	"net/netip"
	"strings"

	"sigs.k8s.io/knftables"
)

// masquerade gives packets from pods to the world the address of the node,
// because nobody outside has routes to pods.
type masquerade struct {
	nft     knftables.Interface
	subnets []netip.Prefix
}

func newMasquerade(subnets []netip.Prefix) (*masquerade, error) {
	nft, err := knftables.New(knftables.InetFamily, "pod-network")
	if err != nil {
		return nil, fmt.Errorf("nftables: %w", err)
	}
	return &masquerade{nft: nft, subnets: subnets}, nil
}

// sync replaces the whole table at once.
func (m *masquerade) sync(ctx context.Context, local []netip.Prefix) error {
	tx := m.nft.NewTransaction()
	tx.Add(&knftables.Table{Comment: knftables.PtrTo("masquerade of what pods send out of the cluster")})
	chain := &knftables.Chain{
		Name:     "postrouting",
		Type:     knftables.PtrTo(knftables.NATType),
		Hook:     knftables.PtrTo(knftables.PostroutingHook),
		Priority: knftables.PtrTo(knftables.SNATPriority),
	}
	tx.Add(chain)
	tx.Flush(chain)
	for _, share := range local {
		family := "ip6"
		if share.Addr().Is4() {
			family = "ip"
		}
		var inside []string
		for _, s := range m.subnets {
			if s.Addr().Is4() == share.Addr().Is4() {
				inside = append(inside, s.String())
			}
		}
		if len(inside) == 0 {
			inside = []string{share.String()}
		}
		tx.Add(&knftables.Rule{Chain: chain.Name, Rule: knftables.Concat(
			family, "saddr", share.String(),
			family, "daddr", "!=", "{", strings.Join(inside, ", "), "}",
			"fib daddr type != local",
			"masquerade fully-random",
		)})
	}
	if err := m.nft.Run(ctx, tx); err != nil {
		return fmt.Errorf("masquerade: %w", err)
	}
	return nil
}
