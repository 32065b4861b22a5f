package main

// eatMemory takes more and more memory and writes to all of it, as long as more, which
// is told what was taken last, returns true.
func eatMemory(more func(taken []byte) bool) {
	const step = 1 << 20
	var kept [][]byte
	for {
		taken := make([]byte, step)
		for i := range taken {
			taken[i] = byte(i) | 1 // pages that are zero need not be there
		}
		kept = append(kept, taken)
		if !more(taken) {
			return
		}
	}
}
