//go:build !linux

package unit

// limitMemory does nothing where the limit of another process cannot be set.
func limitMemory(int) error { return nil }
