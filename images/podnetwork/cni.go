package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
)

// conflist is a CNI network configuration list.
type conflist struct {
	CNIVersion string `json:"cniVersion"`
	Name       string `json:"name"`
	Plugins    []any  `json:"plugins"`
}

type ptp struct {
	Type   string    `json:"type"`
	IPMasq bool      `json:"ipMasq"`
	MTU    int       `json:"mtu"`
	IPAM   hostLocal `json:"ipam"`
}

type hostLocal struct {
	Type string `json:"type"`
	// DataDir is forgotten at boot, as the pods are that had the addresses.
	DataDir string         `json:"dataDir"`
	Ranges  [][]hostSubnet `json:"ranges"`
	Routes  []hostRoute    `json:"routes"`
}

type hostSubnet struct {
	Subnet string `json:"subnet"`
}

type hostRoute struct {
	Dst string `json:"dst"`
}

type portmap struct {
	Type         string          `json:"type"`
	Capabilities map[string]bool `json:"capabilities"`
}

// cniConfig returns the configuration for pods with addresses of these subnets.
func cniConfig(local []netip.Prefix, mtu int) ([]byte, error) {
	ipam := hostLocal{Type: "host-local", DataDir: "/run/cni-ipam-state"}
	for _, share := range local {
		everywhere := "::/0"
		if share.Addr().Is4() {
			everywhere = "0.0.0.0/0"
		}
		ipam.Ranges = append(ipam.Ranges, []hostSubnet{{share.String()}})
		ipam.Routes = append(ipam.Routes, hostRoute{everywhere})
	}
	data, err := json.MarshalIndent(conflist{
		CNIVersion: "1.0.0",
		Name:       "pod-network",
		Plugins: []any{
			ptp{Type: "ptp", MTU: mtu, IPAM: ipam},
			portmap{Type: "portmap", Capabilities: map[string]bool{"portMappings": true}},
		},
	}, "", "  ")
	return append(data, '\n'), err
}

// writeCNIConfig writes the file unless it is the same already: the runtime
// reloads its networks on each write.
func writeCNIConfig(file string, local []netip.Prefix, mtu int) error {
	data, err := cniConfig(local, mtu)
	if err != nil {
		return err
	}
	if old, err := os.ReadFile(file); err == nil && bytes.Equal(old, data) {
		return nil
	}
	// The runtime reads files by their ending, so it never sees a part of it.
	tmp := filepath.Join(filepath.Dir(file), "."+filepath.Base(file)+".tmp")
	if err := os.WriteFile(tmp, data, 0o644); err != nil {
		return fmt.Errorf("write the CNI configuration: %w", err)
	}
	if err := os.Rename(tmp, file); err != nil {
		return fmt.Errorf("write the CNI configuration: %w", err)
	}
	return nil
}
