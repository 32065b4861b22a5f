package host

import (
	"fmt"
	"io/fs"
	"strconv"
	"strings"
)

// Memory is in bytes.
type Memory struct {
	Total, Available uint64
}

func readMemory(root fs.FS) (Memory, error) {
	data, err := fs.ReadFile(root, "proc/meminfo")
	if err != nil {
		return Memory{}, err
	}
	var m Memory
	for line := range strings.Lines(string(data)) {
		key, value, _ := strings.Cut(line, ":")
		var into *uint64
		switch key {
		case "MemTotal":
			into = &m.Total
		case "MemAvailable":
			into = &m.Available
		default:
			continue
		}
		kib, err := strconv.ParseUint(strings.TrimSuffix(strings.TrimSpace(value), " kB"), 10, 64)
		if err != nil {
			return m, fmt.Errorf("proc/meminfo: %s: %w", key, err)
		}
		*into = kib << 10
	}
	if m.Total == 0 {
		return m, fmt.Errorf("proc/meminfo: no line MemTotal")
	}
	return m, nil
}
