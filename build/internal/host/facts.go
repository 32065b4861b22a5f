// Package host reads facts about the machine that builds images and runs
// clusters. It only reads; package prerequisite judges and package engine
// acts on what it finds.
package host

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"syscall"
)

// Facts describe one machine at one moment.
type Facts struct {
	OS OSRelease
	// Arch is the architecture in Go's words, for example amd64.
	Arch string
	// Root is true for the effective user 0.
	Root bool
	// Capabilities are those in force for this process.
	Capabilities Capabilities
	Cgroup       CgroupMode
	Limits       Limits
	Memory       Memory
	Inotify      Inotify
	// Modules says whether /lib/modules exists. kind mounts it into nodes.
	Modules bool
	CPUs    int
}

// Read returns the facts of the machine this process runs on.
func Read() (Facts, error) {
	f, err := readFrom(os.DirFS("/"))
	f.Root = os.Geteuid() == 0
	f.Arch = runtime.GOARCH
	f.CPUs = runtime.NumCPU()
	return f, err
}

// readFrom reads every fact that the file tree of a machine shows.
func readFrom(root fs.FS) (Facts, error) {
	var f Facts
	var errs [6]error
	f.OS, errs[0] = readOSRelease(root)
	f.Capabilities, errs[1] = readCapabilities(root)
	f.Cgroup, errs[2] = readCgroupMode(root)
	f.Limits, errs[3] = readLimits(root)
	f.Memory, errs[4] = readMemory(root)
	f.Inotify, errs[5] = readInotify(root)
	info, err := fs.Stat(root, "lib/modules")
	f.Modules = err == nil && info.IsDir()
	if err := errors.Join(errs[:]...); err != nil {
		return f, fmt.Errorf("facts about this host: %w", err)
	}
	return f, nil
}

// FreeDisk returns the bytes that an ordinary user can still write to the file
// system that holds path.
func FreeDisk(path string) (uint64, error) {
	var st syscall.Statfs_t
	if err := syscall.Statfs(path, &st); err != nil {
		return 0, fmt.Errorf("free space of %s: %w", path, err)
	}
	return st.Bavail * uint64(st.Bsize), nil
}
