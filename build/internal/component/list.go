package component

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// All lists the components of the node image, by name.
func All() []Component {
	return []Component{
		{
			Name:   "cni",
			Module: "github.com/containernetworking/plugins",
			Packages: map[string]string{
				"host-local": "github.com/containernetworking/plugins/plugins/ipam/host-local",
				"loopback":   "github.com/containernetworking/plugins/plugins/main/loopback",
				"portmap":    "github.com/containernetworking/plugins/plugins/meta/portmap",
				"ptp":        "github.com/containernetworking/plugins/plugins/main/ptp",
			},
			VersionVariables: []string{"github.com/containernetworking/plugins/pkg/utils/buildversion.BuildVersion"},
		},
		{
			Name:   "containerd",
			Module: "github.com/containerd/containerd/v2",
			Packages: map[string]string{
				"containerd":              "github.com/containerd/containerd/v2/cmd/containerd",
				"containerd-shim-runc-v2": "github.com/containerd/containerd/v2/cmd/containerd-shim-runc-v2",
				"ctr":                     "github.com/containerd/containerd/v2/cmd/ctr",
			},
			// Snapshotters that a node of kind never selects.
			Tags:             []string{"no_btrfs", "no_devmapper", "no_zfs", "no_aufs"},
			VersionVariables: []string{"github.com/containerd/containerd/v2/version.Version"},
		},
		{
			Name:     "coredns",
			Module:   "github.com/coredns/coredns",
			Packages: map[string]string{"coredns": "."},
		},
		{
			Name:             "crictl",
			Module:           "sigs.k8s.io/cri-tools",
			Packages:         map[string]string{"crictl": "sigs.k8s.io/cri-tools/cmd/crictl"},
			VersionVariables: []string{"sigs.k8s.io/cri-tools/pkg/version.Version"},
		},
		{
			Name:   "etcd",
			Module: "go.etcd.io/etcd/server/v3",
			Packages: map[string]string{
				"etcd":    "go.etcd.io/etcd/server/v3",
				"etcdctl": "go.etcd.io/etcd/etcdctl/v3",
			},
		},
		{
			Name:             "local-path-provisioner",
			Module:           "github.com/rancher/local-path-provisioner",
			Packages:         map[string]string{"local-path-provisioner": "github.com/rancher/local-path-provisioner"},
			VersionVariables: []string{"main.VERSION"},
		},
		{
			Name:     "runc",
			Module:   "github.com/opencontainers/runc",
			Packages: map[string]string{"runc": "github.com/opencontainers/runc"},
			// runc's first stage is C, and seccomp profiles need libseccomp.
			Cgo:              true,
			Libraries:        []string{"libseccomp"},
			Tags:             []string{"seccomp"},
			VersionVariables: []string{"main.version"},
			Bare:             true,
		},
	}
}

// Select returns the components of the given names, or all when there are
// none. An unknown name is an error that lists the known ones.
func Select(names []string) ([]Component, error) {
	all := All()
	if len(names) == 0 {
		return all, nil
	}
	known := map[string]Component{}
	for _, c := range all {
		known[c.Name] = c
	}
	var selected []Component
	for _, n := range names {
		c, ok := known[n]
		if !ok {
			return nil, fmt.Errorf("unknown component %q: want one of %s", n, strings.Join(slices.Sorted(maps.Keys(known)), ", "))
		}
		selected = append(selected, c)
	}
	return selected, nil
}

// Named returns the component of that name. It panics on a name that is not
// in All, which only a mistake in this repository can cause.
func Named(name string) Component {
	selected, err := Select([]string{name})
	if err != nil {
		panic(err)
	}
	return selected[0]
}

func (c Component) binaries() []string { return slices.Sorted(maps.Keys(c.Packages)) }
