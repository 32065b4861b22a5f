package host

import (
	"fmt"
	"io/fs"
	"strconv"
	"strings"
)

// Capabilities is the bit set of capabilities(7) that is in force.
type Capabilities uint64

const (
	// SysResource lets a process raise its limits above the hard ones.
	SysResource = 24
	// SysAdmin is needed for mounts and name spaces.
	SysAdmin = 21
)

// Has reports whether the capability with that number is in the set.
func (c Capabilities) Has(number uint) bool { return c&(1<<number) != 0 }

func readCapabilities(root fs.FS) (Capabilities, error) {
	data, err := fs.ReadFile(root, "proc/self/status")
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(data)) {
		value, ok := strings.CutPrefix(line, "CapEff:")
		if !ok {
			continue
		}
		set, err := strconv.ParseUint(strings.TrimSpace(value), 16, 64)
		if err != nil {
			return 0, fmt.Errorf("proc/self/status: CapEff: %w", err)
		}
		return Capabilities(set), nil
	}
	return 0, fmt.Errorf("proc/self/status: no line CapEff")
}
