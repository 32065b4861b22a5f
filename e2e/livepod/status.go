package livepod

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"sidecar-node/e2e/role"
	"sidecar-node/images/probe/record"
)

// fromStatus makes records of what the status of a pod and its events tell, as if its
// containers had kept a journal. They are as exact as a second. Vague names the
// containers of which nobody can tell when they were ready; notes say what else is
// not known.
func fromStatus(pod *unstructured.Unstructured, events []event) (records []record.Record, vague map[string]bool, notes []string) {
	s := statusReader{pod: pod, events: events, vague: map[string]bool{}}
	for _, c := range role.Of(spec(pod)) {
		s.container(c)
	}
	// A start and an end of the same second stay in the order in which they come here.
	slices.SortStableFunc(s.records, func(a, b record.Record) int { return a.Wall.Compare(b.Wall) })
	for i := range s.records {
		r := &s.records[i]
		r.Seq, r.Mono, r.Pod, r.UID = int64(i+1), r.Wall.Sub(s.records[0].Wall).Nanoseconds(), pod.GetName(), string(pod.GetUID())
	}
	return s.records, s.vague, s.notes
}

func spec(pod *unstructured.Unstructured) map[string]any {
	m, _, _ := unstructured.NestedMap(pod.Object, "spec")
	return m
}

type statusReader struct {
	pod     *unstructured.Unstructured
	events  []event
	records []record.Record
	vague   map[string]bool
	notes   []string
}

// status returns the status of a container, or nil.
func status(pod *unstructured.Unstructured, name string) map[string]any {
	for _, list := range []string{"initContainerStatuses", "containerStatuses", "ephemeralContainerStatuses"} {
		items, _, _ := unstructured.NestedSlice(pod.Object, "status", list)
		for _, item := range items {
			if c, ok := item.(map[string]any); ok && c["name"] == name {
				return c
			}
		}
	}
	return nil
}

func (s *statusReader) container(c role.Container) {
	st := status(s.pod, c.Name)
	if st == nil {
		return
	}
	restarts, _, _ := unstructured.NestedInt64(st, "restartCount")
	run := int(restarts) + 1
	first := run
	state := func(path ...string) map[string]any {
		m, _, _ := unstructured.NestedMap(st, path...)
		return m
	}
	if last := state("lastState", "terminated"); last != nil {
		// What waits counts the run that it waits for only when it has begun.
		before := run - 1
		if state("state", "waiting") != nil {
			before, run = run, run+1
		}
		s.ended(c, max(before, 1), last)
		first = max(before, 1)
	}
	if first > 1 {
		s.notes = append(s.notes, fmt.Sprintf("%s: the status no longer knows the first %d of its runs", c.Name, first-1))
	}
	switch ended, runs, waits := state("state", "terminated"), state("state", "running"), state("state", "waiting"); {
	case ended != nil:
		s.ended(c, run, ended)
	case runs != nil:
		s.runs(c, run, st, moment(runs["startedAt"]))
	case waits != nil:
		note := fmt.Sprintf("%s waits: %v", c.Name, waits["reason"])
		if message, _ := waits["message"].(string); message != "" {
			note += ": " + message
		}
		s.notes = append(s.notes, note)
	}
}

func (s *statusReader) add(c role.Container, run int, at time.Time, r record.Record) {
	r.Container, r.Run, r.Wall = c.Name, run, at
	s.records = append(s.records, r)
}

// ended adds a run that is over. When it was ready is not in the status, unless an
// event tells it.
func (s *statusReader) ended(c role.Container, run int, terminated map[string]any) {
	from, to := moment(terminated["startedAt"]), moment(terminated["finishedAt"])
	code, _, _ := unstructured.NestedInt64(terminated, "exitCode")
	reason, _ := terminated["reason"].(string)
	if !from.IsZero() {
		s.add(c, run, from, record.Record{Event: record.Start})
		if ready := s.sidecarsReady(c, from, to); !ready.IsZero() {
			s.add(c, run, ready, record.Record{Event: record.Ready})
		} else {
			s.vague[c.Name] = true
		}
		s.asked(c, run, from, to)
	}
	if to.IsZero() {
		return
	}
	n := int(code)
	end := record.Record{Event: record.Exit, Code: &n, Note: reason}
	if n == 137 {
		end = record.Record{Event: record.Gone, Note: fmt.Sprintf("%s, exit code 137", cmp.Or(reason, "no reason"))}
	}
	s.add(c, run, to, end)
}

// runs adds a run that goes on. A container that is ready became so when the last one
// of the pod did, or before.
func (s *statusReader) runs(c role.Container, run int, st map[string]any, from time.Time) {
	s.add(c, run, from, record.Record{Event: record.Start})
	now := time.Time{}
	if ready, _, _ := unstructured.NestedBool(st, "ready"); ready {
		at := s.sidecarsReady(c, from, now)
		if all := s.condition("ContainersReady"); at.IsZero() && !all.Before(from) {
			at = all
		}
		if at.IsZero() {
			s.vague[c.Name] = true
		} else {
			s.add(c, run, at, record.Record{Event: record.Ready})
		}
	}
	s.asked(c, run, from, now)
}

// sidecarsReady is when the kubelet found all sidecars ready, for a sidecar that had
// started by then and had not ended: its own moment was then or before.
func (s *statusReader) sidecarsReady(c role.Container, from, to time.Time) time.Time {
	if c.Role == role.Sidecar {
		for _, e := range s.events {
			if e.reason == "SidecarsReady" && within(e.at, from, to) {
				return e.at
			}
		}
	}
	return time.Time{}
}

// asked adds when the kubelet began to stop the container. For a sidecar that is when
// its turn came: its own event is written before it waits for that. For a native
// sidecar, which waits likewise, nobody tells.
func (s *statusReader) asked(c role.Container, run int, from, to time.Time) {
	for _, e := range s.events {
		turn := e.reason == "Killing" && e.container == c.Name && c.Role != role.Sidecar && c.Role != role.Native
		if c.Role == role.Sidecar {
			turn = e.reason == "StoppingSidecars"
		}
		if turn && within(e.at, from, to) {
			s.add(c, run, e.at, record.Record{Event: record.Signal, Signal: "TERM"})
			return
		}
	}
}

// condition is when the condition of the pod became true, if it is.
func (s *statusReader) condition(name string) time.Time {
	items, _, _ := unstructured.NestedSlice(s.pod.Object, "status", "conditions")
	for _, item := range items {
		if c, ok := item.(map[string]any); ok && c["type"] == name && c["status"] == "True" {
			return moment(c["lastTransitionTime"])
		}
	}
	return time.Time{}
}

// within tells whether at lies between from and to, which is open if it is zero.
func within(at, from, to time.Time) bool {
	return !at.Before(from) && (to.IsZero() || !at.After(to))
}

// moment reads a time of the API; one that is missing is zero.
func moment(v any) time.Time {
	text, _ := v.(string)
	t, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return time.Time{}
	}
	return t
}
