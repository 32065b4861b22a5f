package main

import "testing"

func TestEatMemoryTouchesEveryPage(t *testing.T) {
	total := 0
	eatMemory(func(taken []byte) bool {
		for i := 0; i < len(taken); i += 4096 {
			if taken[i] == 0 {
				t.Fatalf("byte %d was not written", i)
			}
		}
		total += len(taken)
		return total < 8<<20
	})
	if total != 8<<20 {
		t.Errorf("took %d bytes, want 8 MiB", total)
	}
}
