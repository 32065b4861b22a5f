package host

import (
	"fmt"
	"io/fs"
	"strings"
)

// CgroupMode says which hierarchy of control groups containers get.
type CgroupMode string

const (
	// CgroupV2 is the unified hierarchy, what current distributions have.
	CgroupV2 CgroupMode = "v2"
	// CgroupHybrid has the controllers on v1 and an extra, empty v2 tree.
	CgroupHybrid CgroupMode = "v1 hybrid"
	// CgroupV1 has v1 hierarchies only.
	CgroupV1 CgroupMode = "v1"
)

func readCgroupMode(root fs.FS) (CgroupMode, error) {
	data, err := fs.ReadFile(root, "proc/self/mounts")
	if err != nil {
		return "", err
	}
	var v1, v2 bool
	for line := range strings.Lines(string(data)) {
		// device, mount point, type, options
		fields := strings.Fields(line)
		if len(fields) < 3 || !strings.HasPrefix(fields[1], "/sys/fs/cgroup") {
			continue
		}
		switch fields[2] {
		case "cgroup2":
			if fields[1] == "/sys/fs/cgroup" {
				return CgroupV2, nil
			}
			v2 = true
		case "cgroup":
			v1 = true
		}
	}
	switch {
	case v1 && v2:
		return CgroupHybrid, nil
	case v1:
		return CgroupV1, nil
	}
	return "", fmt.Errorf("no control groups are mounted at /sys/fs/cgroup: mount them, containers need them")
}
