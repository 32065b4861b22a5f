package rootfs

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
)

// MirrorVariable names the environment variable with the URI of a Debian
// mirror, for hosts whose apt has none.
const MirrorVariable = "SIDECAR_DEBIAN_MIRROR"

// Sources returns the lines of a sources.list for the suite, with the mirrors
// that the host's own apt uses.
func Sources(ctx context.Context, suite string) ([]string, error) {
	if mirror := os.Getenv(MirrorVariable); mirror != "" {
		return []string{line(mirror, suite)}, nil
	}
	out, err := exec.CommandContext(ctx, "apt-get", "indextargets",
		"--format", "$(ORIGIN)|$(LABEL)|$(CODENAME)|$(REPO_URI)", "Created-By: Packages").Output()
	if err != nil {
		return nil, fmt.Errorf("ask apt for the Debian mirrors of this host: %w; set %s to the URI of one", err, MirrorVariable)
	}
	lines := fromTargets(string(out), suite)
	if len(lines) == 0 {
		return nil, fmt.Errorf("apt of this host knows no Debian mirror: run `apt-get update` on a Debian host, or set %s to the URI of a mirror", MirrorVariable)
	}
	return lines, nil
}

// fromTargets turns what apt-get indextargets prints for the host's release
// into lines for suite.
func fromTargets(targets, suite string) []string {
	var lines []string
	for target := range strings.Lines(targets) {
		fields := strings.Split(strings.TrimSpace(target), "|")
		if len(fields) != 4 || fields[0] != "Debian" {
			continue
		}
		label, codename, uri := fields[1], fields[2], fields[3]
		var l string
		switch {
		case label == "Debian-Security":
			l = line(uri, suite+"-security")
		case strings.HasSuffix(codename, "-updates"):
			l = line(uri, suite+"-updates")
		case label == "Debian" && !strings.Contains(codename, "-"):
			l = line(uri, suite)
		default:
			// Backports and proposed updates stay out.
			continue
		}
		if !slices.Contains(lines, l) {
			lines = append(lines, l)
		}
	}
	return lines
}

func line(uri, suite string) string { return "deb " + uri + " " + suite + " main" }

// proxies returns options of apt with the proxies that the host's own apt
// uses; mmdebstrap does not read the host's configuration.
func proxies(ctx context.Context) []string {
	// A host without apt has no such setting.
	out, _ := exec.CommandContext(ctx, "apt-config", "dump", "--no-empty", "--format", "%f \"%v\"%n",
		"Acquire::http::Proxy", "Acquire::https::Proxy").Output()
	var options []string
	for l := range strings.Lines(string(out)) {
		options = append(options, strings.TrimSpace(l))
	}
	return options
}
