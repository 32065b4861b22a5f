// Package timeline draws what happened to the containers of a pod, from the
// records that the probe workload leaves in its journal or in its logs.
package timeline

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"sidecar-node/images/probe/record"
)

// Pod is what happened in one pod, in order.
type Pod struct {
	Name    string
	UID     string
	Records []record.Record
}

// Pods splits records by pod, in the order in which the pods appear, and sorts
// each pod's records: by number when its containers share a journal, and by
// the node's clock when each counts for itself, as it does in logs without a
// journal.
func Pods(records []record.Record) []Pod {
	var pods []Pod
	for _, r := range records {
		i := slices.IndexFunc(pods, func(p Pod) bool { return p.Name == r.Pod && p.UID == r.UID })
		if i < 0 {
			i = len(pods)
			pods = append(pods, Pod{Name: r.Pod, UID: r.UID})
		}
		pods[i].Records = append(pods[i].Records, r)
	}
	for _, p := range pods {
		order := func(a, b record.Record) int { return cmp.Compare(a.Seq, b.Seq) }
		if !sharedCount(p.Records) {
			order = func(a, b record.Record) int {
				return cmp.Or(cmp.Compare(a.Mono, b.Mono), cmp.Compare(a.Seq, b.Seq))
			}
		}
		slices.SortStableFunc(p.Records, order)
	}
	return pods
}

// sharedCount tells whether no two records carry the same number.
func sharedCount(records []record.Record) bool {
	seen := map[int64]bool{}
	for _, r := range records {
		if seen[r.Seq] {
			return false
		}
		seen[r.Seq] = true
	}
	return true
}

// FromLogs reads the records from container logs, concatenated in any order,
// and writes their timeline. Lines that are no records are skipped; logs
// without any record are an error.
func FromLogs(w io.Writer, logs io.Reader) error {
	records, err := record.Parse(logs)
	if err != nil {
		return err
	}
	if len(records) == 0 {
		return fmt.Errorf("no records of the probe workload in these logs")
	}
	_, err = io.WriteString(w, Text(records))
	return err
}

// Text draws one table for each pod: a line for each record with the seconds
// since the pod's first one, and a column for each container.
func Text(records []record.Record) string {
	if len(records) == 0 {
		return "(nothing in the journal)\n"
	}
	var b strings.Builder
	for i, p := range Pods(records) {
		if i > 0 {
			b.WriteByte('\n')
		}
		p.draw(&b)
	}
	return b.String()
}

func (p Pod) draw(b *strings.Builder) {
	var lanes []string
	width := map[string]int{}
	for _, r := range p.Records {
		if _, ok := width[r.Container]; !ok {
			lanes = append(lanes, r.Container)
			width[r.Container] = len(r.Container)
		}
		width[r.Container] = max(width[r.Container], len(what(r)))
	}
	fmt.Fprintf(b, "pod %s\n", p.Name)
	line := func(head string, cell func(lane string) string) {
		text := fmt.Sprintf("%11s", head)
		for _, lane := range lanes {
			text += "  " + fmt.Sprintf("%-*s", width[lane], cell(lane))
		}
		b.WriteString(strings.TrimRight(text, " ") + "\n")
	}
	line("", func(lane string) string { return lane })
	running := map[string]bool{}
	var footnotes []string
	for _, r := range p.Records {
		since := time.Duration(r.Mono - p.Records[0].Mono)
		line(fmt.Sprintf("%+.3f s", since.Seconds()), func(lane string) string {
			switch {
			case lane == r.Container:
				return what(r)
			case running[lane]:
				return "|"
			}
			return ""
		})
		switch r.Event {
		case record.Start:
			running[r.Container] = true
		case record.Exit, record.Gone:
			running[r.Container] = false
		}
		switch {
		case r.Event == record.CallFailed:
			// The same failure again and again is worth one line.
			note := fmt.Sprintf("%s: a call failed: %s", r.Container, r.Note)
			if !slices.Contains(footnotes, note) {
				footnotes = append(footnotes, note)
			}
		case r.Event == record.Exit && r.Calls != nil:
			footnotes = append(footnotes, fmt.Sprintf("%s: %d calls, %d failed", r.Container, r.Calls.OK+r.Calls.Failed, r.Calls.Failed))
		}
	}
	for _, f := range footnotes {
		b.WriteString("  " + f + "\n")
	}
}

// what names a record in a few characters.
func what(r record.Record) string {
	switch r.Event {
	case record.Start:
		if r.Run > 1 {
			return fmt.Sprintf("start (run %d)", r.Run)
		}
	case record.Signal:
		return r.Signal
	case record.Exit:
		return fmt.Sprintf("exit %d", *r.Code)
	case record.Gone:
		return "killed"
	case record.HookStart:
		return r.Hook + " begins"
	case record.HookEnd:
		return r.Hook + " ends"
	case record.CallFailed:
		return "call failed"
	}
	return string(r.Event)
}
