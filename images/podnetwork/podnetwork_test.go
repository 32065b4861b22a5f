package main

import (
	"context"
	"encoding/json"
	"errors"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/knftables"
)

func node(name string, shares []string, addresses ...string) *v1.Node {
	n := &v1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}}
	n.Spec.PodCIDRs = shares
	n.Status.Addresses = append(n.Status.Addresses, v1.NodeAddress{Type: v1.NodeHostName, Address: name})
	for _, a := range addresses {
		n.Status.Addresses = append(n.Status.Addresses, v1.NodeAddress{Type: v1.NodeInternalIP, Address: a})
	}
	return n
}

var dual = []*v1.Node{
	node("here", []string{"10.244.0.0/24", "fd00:10:244::/64"}, "10.89.0.2", "fc00::2"),
	node("there", []string{"10.244.1.0/24", "fd00:10:244:1::/64"}, "10.89.0.3", "fc00::3"),
	node("v4only", []string{"10.244.2.0/24", "fd00:10:244:2::/64"}, "10.89.0.4"),
	node("new", nil),
}

func TestRoutesGoToTheOthersInTheirFamily(t *testing.T) {
	routes, err := routesTo(dual, "here")
	if err != nil {
		t.Fatal(err)
	}
	want := []route{
		{netip.MustParsePrefix("10.244.1.0/24"), netip.MustParseAddr("10.89.0.3")},
		{netip.MustParsePrefix("fd00:10:244:1::/64"), netip.MustParseAddr("fc00::3")},
		{netip.MustParsePrefix("10.244.2.0/24"), netip.MustParseAddr("10.89.0.4")},
	}
	if !slices.Equal(routes, want) {
		t.Errorf("got %v, want %v", routes, want)
	}
}

func TestBadPodCIDRIsNamed(t *testing.T) {
	_, err := routesTo([]*v1.Node{node("there", []string{"10.244.1.0"}, "10.89.0.3")}, "here")
	if err == nil || !strings.Contains(err.Error(), "node there: podCIDRs") {
		t.Errorf("got %v", err)
	}
}

func TestParseSubnets(t *testing.T) {
	got, err := parseSubnets("10.244.3.0/16, fd00:10:244::/56")
	want := []netip.Prefix{netip.MustParsePrefix("10.244.0.0/16"), netip.MustParsePrefix("fd00:10:244::/56")}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("got %v, %v; want %v", got, err, want)
	}
	for _, bad := range []string{"", "10.244.0.0", "10.244.0.0/16,"} {
		if _, err := parseSubnets(bad); err == nil {
			t.Errorf("%q was accepted", bad)
		}
	}
}

// recorder stands for the kernel.
type recorder struct {
	routes []route
	local  []netip.Prefix
	fail   error
}

type routeRecorder struct{ *recorder }

func (r routeRecorder) sync(wanted []route) error { r.routes = wanted; return r.fail }

type outsideRecorder struct{ *recorder }

func (r outsideRecorder) sync(_ context.Context, local []netip.Prefix) error {
	r.local = local
	return r.fail
}

func testNetwork(t *testing.T) (*network, *recorder) {
	r := &recorder{}
	return &network{
		node:      "here",
		cniConfig: filepath.Join(t.TempDir(), "10-pod-network.conflist"),
		outside:   outsideRecorder{r},
		routes:    routeRecorder{r},
		mtu:       func(netip.Addr) (int, error) { return 1450, nil },
	}, r
}

func TestReconcileWritesCNIConfig(t *testing.T) {
	n, r := testNetwork(t)
	if err := n.reconcile(context.Background(), dual); err != nil {
		t.Fatal(err)
	}
	if len(r.routes) != 3 || len(r.local) != 2 {
		t.Errorf("routes %v, local %v", r.routes, r.local)
	}
	data, err := os.ReadFile(n.cniConfig)
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Plugins []struct {
			Type string
			MTU  int
			IPAM struct {
				Ranges [][]struct{ Subnet string }
				Routes []struct{ Dst string }
			}
		}
	}
	if err := json.Unmarshal(data, &got); err != nil {
		t.Fatal(err)
	}
	p := got.Plugins[0]
	if p.Type != "ptp" || p.MTU != 1450 || p.IPAM.Ranges[0][0].Subnet != "10.244.0.0/24" ||
		p.IPAM.Ranges[1][0].Subnet != "fd00:10:244::/64" || p.IPAM.Routes[1].Dst != "::/0" || got.Plugins[1].Type != "portmap" {
		t.Errorf("got %s", data)
	}
	if left, _ := os.ReadDir(filepath.Dir(n.cniConfig)); len(left) != 1 {
		t.Errorf("%d files beside the configuration, want none", len(left)-1)
	}
}

func TestNodeIsNotReadyWithoutItsShare(t *testing.T) {
	for name, nodes := range map[string][]*v1.Node{
		"no share":   {node("here", nil, "10.89.0.2")},
		"no address": {node("here", []string{"10.244.0.0/24"})},
		"no node":    {node("there", []string{"10.244.0.0/24"}, "10.89.0.2")},
	} {
		n, _ := testNetwork(t)
		if err := n.reconcile(context.Background(), nodes); err == nil {
			t.Errorf("%s: no error", name)
		}
		if _, err := os.Stat(n.cniConfig); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: there is a CNI configuration", name)
		}
	}
}

func TestNodeIsNotReadyWithoutRoutes(t *testing.T) {
	n, r := testNetwork(t)
	r.fail = errors.New("the kernel refuses")
	if err := n.reconcile(context.Background(), dual); !errors.Is(err, r.fail) {
		t.Errorf("got %v", err)
	}
	if _, err := os.Stat(n.cniConfig); !errors.Is(err, os.ErrNotExist) {
		t.Error("there is a CNI configuration")
	}
}

func TestSameCNIConfigIsNotWrittenAgain(t *testing.T) {
	n, _ := testNetwork(t)
	if err := n.reconcile(context.Background(), dual); err != nil {
		t.Fatal(err)
	}
	before, _ := os.Stat(n.cniConfig)
	if err := n.reconcile(context.Background(), dual); err != nil {
		t.Fatal(err)
	}
	after, _ := os.Stat(n.cniConfig)
	if !os.SameFile(before, after) {
		t.Error("the file was replaced by an equal one")
	}
}

func TestMasqueradeRules(t *testing.T) {
	nft := knftables.NewFake(knftables.InetFamily, "pod-network")
	m := &masquerade{nft: nft, subnets: []netip.Prefix{netip.MustParsePrefix("10.244.0.0/16"), netip.MustParsePrefix("fd00:10:244::/56")}}
	local := []netip.Prefix{netip.MustParsePrefix("10.244.0.0/24"), netip.MustParsePrefix("fd00:10:244::/64")}
	// The second time must replace the rules of the first.
	for range 2 {
		if err := m.sync(context.Background(), local); err != nil {
			t.Fatal(err)
		}
	}
	rules, err := nft.ListRules(context.Background(), "postrouting")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range rules {
		got = append(got, r.Rule)
	}
	want := []string{
		"ip saddr 10.244.0.0/24 ip daddr != { 10.244.0.0/16 } fib daddr type != local masquerade fully-random",
		"ip6 saddr fd00:10:244::/64 ip6 daddr != { fd00:10:244::/56 } fib daddr type != local masquerade fully-random",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
}
