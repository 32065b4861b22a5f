package engine

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"sidecar-node/build/internal/host"
)

// podmanLimit is the value to which Podman, as root, raises the limits on open
// files and processes of every container. Without CAP_SYS_RESOURCE it may not
// go beyond the hard limits of the host and then starts no container at all.
const podmanLimit = 1048576

// PodmanConfig is the containers.conf(5) that Podman needs on this host before
// it can run nodes; empty where it needs none. It is the only place that knows
// how to get along on poor hosts.
func PodmanConfig(f host.Facts) string {
	var limits []string
	if f.Root && !f.Capabilities.Has(host.SysResource) {
		for _, l := range []struct {
			name string
			hard uint64
		}{
			{"nofile", f.Limits.OpenFiles},
			// Podman lowers its own limit to the number of process IDs and
			// can't go back.
			{"nproc", min(f.Limits.Processes, f.Limits.PIDs)},
		} {
			if l.hard < podmanLimit {
				limits = append(limits, fmt.Sprintf("%q", fmt.Sprintf("%s=%d:%d", l.name, l.hard, l.hard)))
			}
		}
	}
	var b strings.Builder
	if len(limits) > 0 {
		b.WriteString("[containers]\n# root may not raise limits here (no CAP_SYS_RESOURCE)\n")
		fmt.Fprintf(&b, "default_ulimits = [%s]\n", strings.Join(limits, ", "))
	}
	if f.Cgroup != host.CgroupV2 {
		if b.Len() > 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "[engine]\n# crun refuses this host's control groups (%s)\nruntime = \"runc\"\n", f.Cgroup)
	}
	if b.Len() == 0 {
		return ""
	}
	return "# Written by sidecarctl setup from what it found on this host.\n" + b.String()
}

// PodmanConfigFile is where that configuration goes: a drop-in of its own, so
// that files of the distribution and of the user stay as they are.
func PodmanConfigFile(f host.Facts) (string, error) {
	if f.Root {
		return "/etc/containers/containers.conf.d/50-sidecar-node.conf", nil
	}
	config, err := os.UserConfigDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(config, "containers", "containers.conf.d", "50-sidecar-node.conf"), nil
}

// PodmanConfigured reports whether file holds content, or none is needed.
func PodmanConfigured(file, content string) (bool, error) {
	if content == "" {
		return true, nil
	}
	data, err := os.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	return string(data) == content, err
}

// WritePodmanConfig writes content to file whole or not at all.
func WritePodmanConfig(file, content string) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	// Podman reads only names that end in .conf.
	tmp := file + ".tmp"
	if err := os.WriteFile(tmp, []byte(content), 0o644); err != nil {
		return err
	}
	return os.Rename(tmp, file)
}
