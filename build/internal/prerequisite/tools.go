package prerequisite

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"

	"sidecar-node/build/internal/rootfs"
)

var git = Prerequisite{
	Name: "git", Why: "the scratch repository in which patches are applied",
	Packages: []string{"git"}, Advice: "install git",
	Check: version("git", "--version"),
}

var compiler = Prerequisite{
	Name: "C compiler", Why: "containerd and runc use cgo",
	Packages: []string{"gcc", "libc6-dev"}, Advice: "install gcc and the headers of the C library",
	Check: version("gcc", "--version"),
}

var pkgConfig = Prerequisite{
	Name: "pkg-config", Why: "runc finds libseccomp with it",
	Packages: []string{"pkg-config"}, Advice: "install pkg-config",
	Check: version("pkg-config", "--version"),
}

var seccomp = Prerequisite{
	Name: "libseccomp", Why: "runc is compiled against its headers",
	Packages: []string{"libseccomp-dev", "pkg-config"}, Advice: "install the development files of libseccomp",
	Check: func(ctx context.Context, m *Machine) (string, error) {
		out, err := exec.CommandContext(ctx, "pkg-config", "--modversion", "libseccomp").CombinedOutput()
		if err != nil {
			return "", errors.New("its headers aren't installed (pkg-config doesn't know libseccomp)")
		}
		return strings.TrimSpace(string(out)), nil
	},
}

var protoc = Prerequisite{
	Name: "protoc", Why: "generates the protobuf code of the changed API types",
	Packages: []string{"protobuf-compiler"}, Advice: "install protoc 3.21 or newer",
	Check: version("protoc", "--version"),
}

var mmdebstrap = Prerequisite{
	Name: "mmdebstrap", Why: "makes the Debian userspace of the node image",
	Packages: []string{"mmdebstrap"}, Advice: "install mmdebstrap and apt",
	Check: version("mmdebstrap", "--version"),
}

var keyring = Prerequisite{
	Name: "Debian keys", Why: "the packages in the node image are Debian trixie's, and their signatures are checked",
	Packages: []string{"debian-archive-keyring"}, Advice: "install a debian-archive-keyring that holds the keys of trixie",
	Check: func(context.Context, *Machine) (string, error) {
		files, _ := filepath.Glob("/usr/share/keyrings/debian-archive-trixie-stable.*")
		if len(files) == 0 {
			return "", errors.New("no keys of Debian trixie in /usr/share/keyrings")
		}
		return files[0], nil
	},
}

var mirror = Prerequisite{
	Name: "Debian mirror", Why: "where the packages in the node image come from; the mirror that apt of this host uses is taken",
	Advice: "set " + rootfs.MirrorVariable + " to the URI of a Debian mirror",
	Check: func(ctx context.Context, m *Machine) (string, error) {
		lines, err := rootfs.Sources(ctx, "trixie")
		if err != nil {
			return "", err
		}
		return fmt.Sprintf("%d sources for trixie", len(lines)), nil
	},
	Repair: func(ctx context.Context, m *Machine) (string, error) {
		out, err := exec.CommandContext(ctx, "apt-get", "update").CombinedOutput()
		if err != nil {
			return "", fmt.Errorf("apt-get update: %w: %s", err, bytes.TrimSpace(out))
		}
		return "apt-get update", nil
	},
}

var userNamespaces = Prerequisite{
	Name: "newuidmap", Why: "mmdebstrap and Podman map user IDs with it when not run by root",
	Packages: []string{"uidmap"}, Advice: "install newuidmap (shadow-utils)",
	Check: func(_ context.Context, m *Machine) (string, error) {
		if m.Root {
			return "not needed by root", nil
		}
		path, err := exec.LookPath("newuidmap")
		if err != nil {
			return "", errors.New("not in PATH")
		}
		return path, nil
	},
}

// version checks that a command is there and runs, and returns the first line
// that it prints.
func version(command string, args ...string) func(context.Context, *Machine) (string, error) {
	return func(ctx context.Context, _ *Machine) (string, error) {
		if _, err := exec.LookPath(command); err != nil {
			return "", fmt.Errorf("%s isn't in PATH", command)
		}
		out, err := exec.CommandContext(ctx, command, args...).CombinedOutput()
		if err != nil {
			return "", fmt.Errorf("%s %s: %w: %s", command, strings.Join(args, " "), err, bytes.TrimSpace(out))
		}
		first, _, _ := strings.Cut(string(out), "\n")
		return strings.TrimSpace(first), nil
	}
}
