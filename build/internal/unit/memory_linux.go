package unit

import "golang.org/x/sys/unix"

// memory is what one process of a test may allocate, in bytes. Upstream's
// tests stay far below; one that runs away dies instead of the machine.
const memory = 8 << 30

// limitMemory limits the process and those that it starts from now on.
func limitMemory(pid int) error {
	limit := unix.Rlimit{Cur: memory, Max: memory}
	return unix.Prlimit(pid, unix.RLIMIT_DATA, &limit, nil)
}
