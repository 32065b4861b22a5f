package bench

import (
	"math"
	"strings"
	"testing"
	"time"
)

const used = `100
1000.50 1900.00
3627 (kube (let) x) S 1 3627 3627 0 -1 4194560 48229 0 0 0 1250 350 0 0 20 0 17 0 4093 1454715904 26595 18446744073709551615
VmRSS:	   92160 kB
`

func TestUsage(t *testing.T) {
	u, err := parseUsage(used)
	if err != nil {
		t.Fatal(err)
	}
	if u.pid != 3627 || u.up != 1000500*time.Millisecond || u.cpu != 16*time.Second || math.Abs(u.memory-90) > 1e-9 {
		t.Errorf("got %+v", u)
	}
	later := u
	later.up += 10 * time.Second
	later.cpu += time.Second
	if cpu, took, err := later.since(u); err != nil || cpu != time.Second || took != 10*time.Second {
		t.Errorf("got %v in %v, %v", cpu, took, err)
	}
	if _, _, err := u.since(u); err == nil {
		t.Error("no error when no time has passed")
	}
	later.pid++
	if _, _, err := later.since(u); err == nil || !strings.Contains(err.Error(), "restarted") {
		t.Errorf("another process: got %v", err)
	}
}

func TestBadUsage(t *testing.T) {
	for want, text := range map[string]string{
		"four lines": "",
		"ticks of a": strings.Replace(used, "100\n", "x\n", 1),
		"the boot":   strings.Replace(used, "1000.50", "up", 1),
		"stat in":    strings.Replace(used, "0 4093 1454715904", ") 0", 1),
		"CPU ticks":  strings.Replace(used, "1250", "many", 1),
		"the number": strings.Replace(used, "3627 (", "0 (", 1),
		"VmRSS":      strings.Replace(used, "kB", "MB", 1),
		"kB in line": strings.Replace(used, "92160", "much", 1),
	} {
		if u, err := parseUsage(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %+v, %v, want an error with %q", u, err, want)
		}
	}
}
