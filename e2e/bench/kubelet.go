package bench

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"sidecar-node/e2e/framework"
)

// usage is what a kubelet has used since it was started.
type usage struct {
	pid int
	// up is the time since the node booted, cpu the CPU time of the process and its
	// threads. Both are exact to a tick, mostly 10 ms.
	up, cpu time.Duration
	// memory is what is resident, in MiB.
	memory float64
}

// usageScript prints four lines: the ticks of a second, the time since the boot, the
// process's stat and its resident memory.
const usageScript = `
pid=$(systemctl show --property MainPID --value kubelet)
getconf CLK_TCK
cat /proc/uptime /proc/$pid/stat
grep VmRSS: /proc/$pid/status
`

// readUsage reads what the kubelet of the node has used.
func readUsage(ctx context.Context, node *framework.Node) (usage, error) {
	out, err := node.Shell(ctx, usageScript)
	if err != nil {
		return usage{}, fmt.Errorf("reading what the kubelet uses: %w", err)
	}
	u, err := parseUsage(out)
	if err != nil {
		return u, fmt.Errorf("node %s: %w", node.Name, err)
	}
	return u, nil
}

// parseUsage reads what usageScript prints.
func parseUsage(text string) (usage, error) {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	wrong := func(what string) (usage, error) {
		return usage{}, fmt.Errorf("what the kubelet uses: want %s, found:\n%s", what, text)
	}
	if len(lines) != 4 {
		return wrong("four lines")
	}
	ticks, err := strconv.ParseFloat(lines[0], 64)
	if err != nil || ticks <= 0 {
		return wrong("ticks of a second in line 1")
	}
	first, _, _ := strings.Cut(lines[1], " ")
	up, err := strconv.ParseFloat(first, 64)
	if err != nil {
		return wrong("the seconds since the boot in line 2")
	}
	// The name in parentheses may hold anything, so fields count from its end.
	pid, _, _ := strings.Cut(lines[2], " ")
	fields := strings.Fields(lines[2][strings.LastIndex(lines[2], ")")+1:])
	const user, system = 14 - 3, 15 - 3 // numbers as proc(5) has them, of which the third is first here
	if len(fields) <= system {
		return wrong("the process's stat in line 3")
	}
	u := usage{up: seconds(up)}
	var cpu float64
	for _, field := range []int{user, system} {
		t, err := strconv.ParseFloat(fields[field], 64)
		if err != nil {
			return wrong("CPU ticks in line 3")
		}
		cpu += t / ticks
	}
	u.cpu = seconds(cpu)
	if u.pid, err = strconv.Atoi(pid); err != nil || u.pid == 0 {
		return wrong("the number of the process in line 3")
	}
	memory := strings.Fields(lines[3])
	if len(memory) != 3 || memory[2] != "kB" {
		return wrong("VmRSS in kB in line 4")
	}
	kib, err := strconv.ParseFloat(memory[1], 64)
	if err != nil {
		return wrong("VmRSS in kB in line 4")
	}
	u.memory = kib / 1024
	return u, nil
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// since returns the CPU time that was used from before until u, and how long that was.
func (u usage) since(before usage) (cpu, took time.Duration, err error) {
	if u.pid != before.pid {
		return 0, 0, fmt.Errorf("the kubelet was restarted meanwhile: process %d is now %d", before.pid, u.pid)
	}
	if took = u.up - before.up; took <= 0 {
		return 0, 0, fmt.Errorf("the time since the boot went from %v to %v", before.up, u.up)
	}
	return u.cpu - before.cpu, took, nil
}
