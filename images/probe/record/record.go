// Package record is the journal of the probe workload: one line for each
// thing that happens to a container, numbered by a counter that all containers
// sharing the journal's folder take turns to advance. Order is read from these
// numbers, so that no two clocks have to agree.
package record

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"time"
)

// Event says what happened.
type Event string

const (
	// Start is the first thing a process does.
	Start Event = "start"
	// Ready is written just before readiness becomes visible to the kubelet, so
	// whatever starts because of it is numbered later.
	Ready Event = "ready"
	// Unready is the opposite of Ready, written before it becomes visible.
	Unready Event = "unready"
	// Signal is the arrival of a signal.
	Signal Event = "signal"
	// Exit is the last thing a process does when it ends by itself.
	Exit Event = "exit"
	// Gone is written by somebody else about a process that has ended without
	// writing Exit, which means that it was killed. Its number is right: it lies
	// before everything that was written after the death. Its time is when the
	// death was noticed.
	Gone Event = "gone"
	// HookStart and HookEnd frame the run of an exec hook.
	HookStart Event = "hook-start"
	HookEnd   Event = "hook-end"
	// CallFailed is a call to another container that was not answered with 200.
	CallFailed Event = "call-failed"
)

// Calls counts the calls that a process has made.
type Calls struct {
	OK     int `json:"ok"`
	Failed int `json:"failed"`
}

// Record is one line of the journal.
type Record struct {
	// Seq orders the records of one journal, from 1 without gaps. A process
	// without a journal counts for itself.
	Seq       int64  `json:"seq"`
	Container string `json:"container"`
	// Run counts the starts of this container in this pod, from 1.
	Run    int    `json:"run"`
	Event  Event  `json:"event"`
	Code   *int   `json:"code,omitempty"`
	Signal string `json:"signal,omitempty"`
	Hook   string `json:"hook,omitempty"`
	Calls  *Calls `json:"calls,omitempty"`
	Note   string `json:"note,omitempty"`
	Pod    string `json:"pod,omitempty"`
	UID    string `json:"uid,omitempty"`
	// Mono is the time since the node booted, in nanoseconds; it is the same
	// clock for all containers of a node. For drawing, never for order.
	Mono int64     `json:"mono"`
	Wall time.Time `json:"wall"`
}

// linePrefix tells records from other lines of a log.
var linePrefix = []byte(`{"seq":`)

// Parse reads records from a journal or from the log of a container. Lines of
// other origin are skipped; a line that looks like a record and cannot be
// read is an error that names the line.
func Parse(r io.Reader) ([]Record, error) {
	var records []Record
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	for n := 1; lines.Scan(); n++ {
		line := bytes.TrimSpace(lines.Bytes())
		if !bytes.HasPrefix(line, linePrefix) {
			continue
		}
		var rec Record
		if err := json.Unmarshal(line, &rec); err != nil {
			return nil, fmt.Errorf("journal line %d: %w: %s", n, err, line)
		}
		records = append(records, rec)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("reading a journal: %w", err)
	}
	return records, nil
}
