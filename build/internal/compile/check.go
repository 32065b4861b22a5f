package compile

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// versionArgs are the arguments with which the binaries print their version.
// Those not named here know --version.
var versionArgs = map[string][]string{
	"kubeadm": {"version", "-o", "short"},
	"kubectl": {"version", "--client"},
}

// checkVersion runs a binary and returns an error unless it reports version.
func checkVersion(ctx context.Context, file, version string) error {
	name := filepath.Base(file)
	args, ok := versionArgs[name]
	if !ok {
		args = []string{"--version"}
	}
	out, err := exec.CommandContext(ctx, file, args...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s %s: %w: %s", file, strings.Join(args, " "), err, out)
	}
	if !slices.Contains(strings.Fields(string(out)), version) {
		return fmt.Errorf("%s reports another version: want %s, found %q", name, version, strings.TrimSpace(string(out)))
	}
	return nil
}
