package prerequisite

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"

	"sidecar-node/build/internal/host"
)

const gib = 1 << 30

// minMemory lets the linker of the largest binary and a cluster fit.
const minMemory = 6 * gib

// minInotifyInstances and minInotifyWatches suffice for a few clusters of
// several nodes; systemd, containerd and kubelet of each node take a share.
const (
	minInotifyInstances = 512
	minInotifyWatches   = 65536
)

var system = Prerequisite{
	Name: "system", Why: "everything",
	Advice: "use Linux on amd64 or arm64 with control groups mounted",
	Check: func(_ context.Context, m *Machine) (string, error) {
		if runtime.GOOS != "linux" {
			return "", fmt.Errorf("this is %s: want linux", runtime.GOOS)
		}
		if m.FactsErr != nil {
			return "", m.FactsErr
		}
		return fmt.Sprintf("%s, %s, %d CPUs, control groups %s", m.OS.Name, m.Arch, m.CPUs, m.Cgroup), nil
	},
}

var goToolchain = Prerequisite{
	Name: "Go", Why: "compiles everything",
	Packages: []string{"golang-go"},
	Advice:   "install Go 1.21 or newer; it fetches the toolchain that go.mod names by itself",
	Check: func(ctx context.Context, m *Machine) (string, error) {
		cmd := exec.CommandContext(ctx, "go", "env", "GOVERSION")
		cmd.Dir = m.Checkout
		out, err := cmd.CombinedOutput()
		if err != nil {
			return "", fmt.Errorf("go env in %s: %w: %s", m.Checkout, err, strings.TrimSpace(string(out)))
		}
		return strings.TrimSpace(string(out)), nil
	},
}

var memory = Prerequisite{
	Name: "memory", Why: "linking kube-apiserver, and a cluster",
	Advice: "give the machine more memory or stop other programs",
	Check: func(_ context.Context, m *Machine) (string, error) {
		text := fmt.Sprintf("%s in all, %s free", bytesText(m.Memory.Total), bytesText(m.Memory.Available))
		if m.Memory.Total < minMemory {
			return "", fmt.Errorf("%s: want %s in all", text, bytesText(minMemory))
		}
		return text, nil
	},
}

var disk = Prerequisite{
	Name: "disk", Why: "sources, caches of Go, binaries, images and nodes",
	Advice: "free space there, or move the checkout or Go's caches (GOCACHE, GOMODCACHE)",
	Check: func(ctx context.Context, m *Machine) (string, error) {
		text, free, err := freeDisk(ctx, m)
		if err != nil {
			return "", err
		}
		if free < m.MinDisk {
			return "", fmt.Errorf("%s: want %s", text, bytesText(m.MinDisk))
		}
		return text, nil
	},
}

// freeDisk adds up the free space of the different file systems that a build
// writes to: the checkout and Go's caches.
func freeDisk(ctx context.Context, m *Machine) (text string, total uint64, err error) {
	folders := []string{m.Checkout}
	if out, err := exec.CommandContext(ctx, "go", "env", "GOCACHE", "GOMODCACHE").Output(); err == nil {
		folders = append(folders, strings.Fields(string(out))...)
	}
	seen := map[uint64]bool{}
	var parts []string
	for _, folder := range folders {
		for {
			if _, err := os.Stat(folder); err == nil || folder == filepath.Dir(folder) {
				break
			}
			folder = filepath.Dir(folder)
		}
		var st syscall.Stat_t
		if err := syscall.Stat(folder, &st); err != nil {
			return "", 0, fmt.Errorf("%s: %w", folder, err)
		}
		if seen[uint64(st.Dev)] {
			continue
		}
		seen[uint64(st.Dev)] = true
		free, err := host.FreeDisk(folder)
		if err != nil {
			return "", 0, err
		}
		total += free
		parts = append(parts, fmt.Sprintf("%s free at %s", bytesText(free), folder))
	}
	return strings.Join(parts, ", "), total, nil
}

var inotify = Prerequisite{
	Name: "inotify", Why: "clusters of several nodes; with too few, systemd in a node fails with \"too many open files\"",
	Advice:   fmt.Sprintf("sysctl -w fs.inotify.max_user_instances=%d fs.inotify.max_user_watches=%d", minInotifyInstances, minInotifyWatches),
	Optional: true,
	Check: func(_ context.Context, m *Machine) (string, error) {
		text := fmt.Sprintf("%d instances, %d watches a user", m.Inotify.Instances, m.Inotify.Watches)
		if m.Inotify.Instances < minInotifyInstances || m.Inotify.Watches < minInotifyWatches {
			return "", fmt.Errorf("%s: want %d and %d", text, minInotifyInstances, minInotifyWatches)
		}
		return text, nil
	},
	Repair: func(_ context.Context, m *Machine) (string, error) {
		for name, value := range map[string]uint64{
			"max_user_instances": max(m.Inotify.Instances, minInotifyInstances),
			"max_user_watches":   max(m.Inotify.Watches, minInotifyWatches),
		} {
			if err := os.WriteFile("/proc/sys/fs/inotify/"+name, fmt.Appendln(nil, value), 0o644); err != nil {
				return "", err
			}
		}
		return "raised fs.inotify.max_user_instances and max_user_watches until the next boot", nil
	},
}

// bytesText writes a number of bytes the way people compare disks.
func bytesText(n uint64) string { return fmt.Sprintf("%.1f GiB", float64(n)/gib) }
