package host

import (
	"fmt"
	"io/fs"
	"math"
	"strconv"
	"strings"
)

// Unlimited stands for a limit that isn't set.
const Unlimited uint64 = math.MaxUint64

// Limits are hard limits of this process, which its children inherit.
type Limits struct {
	OpenFiles, Processes uint64
	// PIDs is the number of process IDs of the whole machine.
	PIDs uint64
}

func readLimits(root fs.FS) (Limits, error) {
	data, err := fs.ReadFile(root, "proc/self/limits")
	if err != nil {
		return Limits{}, err
	}
	var l Limits
	for name, into := range map[string]*uint64{"Max open files": &l.OpenFiles, "Max processes": &l.Processes} {
		if *into, err = hardLimit(string(data), name); err != nil {
			return l, err
		}
	}
	const pidMax = "proc/sys/kernel/pid_max"
	if data, err = fs.ReadFile(root, pidMax); err != nil {
		return l, err
	}
	if l.PIDs, err = strconv.ParseUint(strings.TrimSpace(string(data)), 10, 64); err != nil {
		return l, fmt.Errorf("%s: %w", pidMax, err)
	}
	return l, nil
}

// hardLimit finds the line of name; its columns are soft limit, hard limit
// and unit.
func hardLimit(table, name string) (uint64, error) {
	for line := range strings.Lines(table) {
		rest, ok := strings.CutPrefix(line, name)
		if !ok {
			continue
		}
		columns := strings.Fields(rest)
		if len(columns) < 2 {
			break
		}
		if columns[1] == "unlimited" {
			return Unlimited, nil
		}
		n, err := strconv.ParseUint(columns[1], 10, 64)
		if err != nil {
			return 0, fmt.Errorf("proc/self/limits: %s: %w", name, err)
		}
		return n, nil
	}
	return 0, fmt.Errorf("proc/self/limits: no usable line %q", name)
}
