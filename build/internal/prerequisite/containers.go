package prerequisite

import (
	"context"
	"errors"
	"fmt"
	"os"

	"sidecar-node/build/internal/engine"
)

var containerEngine = Prerequisite{
	Name: "container engine", Why: "runs the nodes of clusters",
	// runc and not crun, which refuses control groups v1; the rest is what
	// Podman needs for networks in which nodes find each other by name.
	Packages: []string{"podman", "runc", "conmon", "netavark", "aardvark-dns", "iptables"},
	Advice:   "install and start Docker, or install Podman 4 or newer",
	Check: func(_ context.Context, m *Machine) (string, error) {
		if m.EngineErr != nil {
			return "", m.EngineErr
		}
		return m.Engine.Name + " " + m.Engine.Version, nil
	},
}

var modules = Prerequisite{
	Name: "/lib/modules", Why: "kind mounts it into nodes",
	Advice: "mkdir -p /lib/modules",
	Check: func(_ context.Context, m *Machine) (string, error) {
		if !m.Modules {
			return "", errors.New("the folder doesn't exist")
		}
		return "exists", nil
	},
	Repair: func(context.Context, *Machine) (string, error) {
		return "made the empty folder /lib/modules", os.MkdirAll("/lib/modules", 0o755)
	},
}

var privileged = Prerequisite{
	Name: "privileged run", Why: "every node is a privileged container",
	Advice: "read the message of the engine; docs/known-issues.md lists causes",
	Check: func(ctx context.Context, m *Machine) (string, error) {
		if m.Engine == nil {
			return "", errors.New("no container engine to try it with")
		}
		if err := m.Engine.TryPrivileged(ctx); err != nil {
			return "", err
		}
		return "a privileged container ran on " + m.Engine.Name, nil
	},
	Repair: func(_ context.Context, m *Machine) (string, error) {
		if m.Engine == nil || m.Engine.Name != "podman" {
			return "", errors.New("only the configuration of Podman can be adapted to the host")
		}
		content := engine.PodmanConfig(m.Facts)
		if content == "" {
			return "", errors.New("no known cause on this host")
		}
		file, err := engine.PodmanConfigFile(m.Facts)
		if err != nil {
			return "", err
		}
		if done, err := engine.PodmanConfigured(file, content); done || err != nil {
			return "", errors.Join(fmt.Errorf("Podman is already adapted to this host by %s", file), err)
		}
		return fmt.Sprintf("wrote %s:\n%s", file, content), engine.WritePodmanConfig(file, content)
	},
}
