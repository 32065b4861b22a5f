// Package journal judges what the probe workload has written down. Every
// judgement is an error or nil, and every error holds the whole timeline, so
// that a failed spec shows what happened and not only what did not.
//
// Order is read from the numbers in the journal and from nothing else.
package journal

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"sidecar-node/e2e/timeline"
	"sidecar-node/images/probe/record"
)

// Timeline is what happened, in order.
type Timeline struct {
	records []record.Record
}

// New returns the timeline of records, in any order.
func New(records []record.Record) Timeline {
	var t Timeline
	for _, p := range timeline.Pods(records) {
		t.records = append(t.records, p.Records...)
	}
	return t
}

// Records returns the records; those of one pod are in order.
func (t Timeline) Records() []record.Record { return t.records }

// Pod returns what happened in the pod of that name.
func (t Timeline) Pod(name string) Timeline {
	return t.filter(func(r record.Record) bool { return r.Pod == name })
}

// Pods returns the names of the pods, in order of appearance.
func (t Timeline) Pods() []string {
	var names []string
	for _, r := range t.records {
		if !slices.Contains(names, r.Pod) {
			names = append(names, r.Pod)
		}
	}
	return names
}

// String draws the timeline.
func (t Timeline) String() string { return timeline.Text(t.records) }

// Count returns the number of records that p names.
func (t Timeline) Count(p Point) int { return len(t.all(p)) }

func (t Timeline) filter(keep func(record.Record) bool) Timeline {
	var kept []record.Record
	for _, r := range t.records {
		if keep(r) {
			kept = append(kept, r)
		}
	}
	return Timeline{kept}
}

// Error is a judgement that failed.
type Error struct {
	// Reason says what was wanted and what was found.
	Reason   string
	Timeline Timeline
}

func (e *Error) Error() string { return e.Reason + "\n\n" + e.Timeline.String() }

// GomegaString keeps Gomega from printing every record once more.
func (e *Error) GomegaString() string { return e.Reason }

func (t Timeline) errorf(format string, args ...any) error {
	return &Error{fmt.Sprintf(format, args...), t}
}

// Point names records of a container: by default the first of them.
type Point struct {
	container string
	name      string
	match     func(record.Record) bool
	last      bool
}

func (p Point) String() string {
	which := "first"
	if p.last {
		which = "last"
	}
	return fmt.Sprintf("the %s %s of %s", which, p.name, p.container)
}

// Last names the last record instead of the first.
func (p Point) Last() Point {
	p.last = true
	return p
}

// Run names the records of the container's n-th run only, counted from 1.
func (p Point) Run(n int) Point {
	match := p.match
	p.match = func(r record.Record) bool { return r.Run == n && match(r) }
	p.name = fmt.Sprintf("%s in run %d", p.name, n)
	return p
}

func point(container, name string, events ...record.Event) Point {
	return Point{container: container, name: name, match: func(r record.Record) bool { return slices.Contains(events, r.Event) }}
}

// Start is the beginning of the container's process.
func Start(container string) Point { return point(container, "start", record.Start) }

// Ready is the moment just before the container shows that it is ready.
func Ready(container string) Point { return point(container, "readiness", record.Ready) }

// Term is the arrival of a signal that asks the container to stop.
func Term(container string) Point {
	return Point{container: container, name: "TERM", match: func(r record.Record) bool { return r.Event == record.Signal && r.Signal == "TERM" }}
}

// End is the end of the container's process, by itself or killed.
func End(container string) Point { return point(container, "end", record.Exit, record.Gone) }

// Killed is an end that the process had no say in.
func Killed(container string) Point { return point(container, "kill", record.Gone) }

// Hook is the beginning of the container's exec hook of that name.
func Hook(container, hook string) Point { return hookPoint(container, hook, record.HookStart, "start") }

// HookEnd is the end of the container's exec hook of that name.
func HookEnd(container, hook string) Point { return hookPoint(container, hook, record.HookEnd, "end") }

func hookPoint(container, hook string, event record.Event, word string) Point {
	return Point{container: container, name: hook + " hook " + word, match: func(r record.Record) bool { return r.Event == event && r.Hook == hook }}
}

func (t Timeline) all(p Point) []int {
	var found []int
	for i, r := range t.records {
		if r.Container == p.container && p.match(r) {
			found = append(found, i)
		}
	}
	return found
}

// find returns the place of p. Judging order needs one pod, because pods on
// different nodes do not count together.
func (t Timeline) find(p Point) (int, error) {
	if pods := t.Pods(); len(pods) > 1 {
		return 0, t.errorf("asked for %s, but the journal holds several pods (%s): choose one", p, strings.Join(pods, ", "))
	}
	found := t.all(p)
	switch {
	case len(found) == 0:
		return 0, t.errorf("%s is missing", p)
	case p.last:
		return found[len(found)-1], nil
	}
	return found[0], nil
}

// At returns the record that the point names.
func (t Timeline) At(p Point) (record.Record, error) {
	i, err := t.find(p)
	if err != nil {
		return record.Record{}, err
	}
	return t.records[i], nil
}

// Before fails unless both points exist and a comes before b.
func (t Timeline) Before(a, b Point) error {
	i, err := t.find(a)
	if err != nil {
		return err
	}
	j, err := t.find(b)
	if err != nil {
		return err
	}
	if i >= j {
		return t.errorf("%s must come before %s, but came after it", a, b)
	}
	return nil
}

// Between fails unless a and c exist and a record that b names comes between them.
func (t Timeline) Between(a, b, c Point) error {
	i, err := t.find(a)
	if err != nil {
		return err
	}
	k, err := t.find(c)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(t.all(b), func(j int) bool { return i < j && j < k }) {
		return t.errorf("between %s and %s there must be a %s of %s, but there is none", a, c, b.name, b.container)
	}
	return nil
}

// Within fails unless both points exist and b comes at most limit after a, by
// the node's clock.
func (t Timeline) Within(a, b Point, limit time.Duration) error {
	i, err := t.find(a)
	if err != nil {
		return err
	}
	j, err := t.find(b)
	if err != nil {
		return err
	}
	if took := time.Duration(t.records[j].Mono - t.records[i].Mono); took > limit {
		return t.errorf("from %s to %s it took %v, want at most %v", a, b, took.Round(time.Millisecond), limit)
	}
	return nil
}
