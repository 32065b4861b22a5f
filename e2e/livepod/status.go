package livepod

import (
	"cmp"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"sidecar-node/e2e/role"
	"sidecar-node/images/probe/record"
)

// fromStatus makes records of what the status of a pod and its events tell, as if its
// containers had kept a journal. They are as exact as a second; what came within the
// same second is in the order in which pods start and stop; merge sorts the rest. Vague names the
// containers of which nobody can tell when they were ready; notes say what else is
// not known.
func fromStatus(pod *unstructured.Unstructured, events []event) (records []record.Record, vague map[string]bool, notes []string) {
	s := statusReader{pod: pod, events: events, vague: map[string]bool{}, stops: map[role.Role][]record.Record{}}
	for _, c := range role.Of(spec(pod)) {
		s.container(c)
	}
	for _, r := range []role.Role{role.Init, role.App, role.Ephemeral, role.Sidecar, role.Native} {
		s.records = append(s.records, s.stops[r]...)
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
	// stops are the TERMs and ends of last runs, apart from the rest because they come
	// in another order than starts.
	stops map[role.Role][]record.Record
	vague map[string]bool
	notes []string
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
		s.ended(c, max(before, 1), last, s.add)
		first = max(before, 1)
	}
	if first > 1 {
		s.notes = append(s.notes, fmt.Sprintf("%s: the status no longer knows the first %d of its runs", c.Name, first-1))
	}
	switch ended, runs, waits := state("state", "terminated"), state("state", "running"), state("state", "waiting"); {
	case ended != nil:
		s.ended(c, run, ended, s.stop)
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
	s.records = append(s.records, made(c, run, at, r))
}

func (s *statusReader) stop(c role.Container, run int, at time.Time, r record.Record) {
	s.stops[c.Role] = append(s.stops[c.Role], made(c, run, at, r))
}

func made(c role.Container, run int, at time.Time, r record.Record) record.Record {
	r.Container, r.Run, r.Wall = c.Name, run, at
	return r
}

// adder adds a record.
type adder func(c role.Container, run int, at time.Time, r record.Record)

// ended adds a run that is over, its end by stop. When it was ready is not in the
// status, unless an event tells it.
func (s *statusReader) ended(c role.Container, run int, terminated map[string]any, stop adder) {
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
		s.asked(c, run, from, to, stop)
	}
	if to.IsZero() {
		return
	}
	n := int(code)
	end := record.Record{Event: record.Exit, Code: &n, Note: reason}
	if n == 137 {
		end = record.Record{Event: record.Gone, Note: fmt.Sprintf("%s, exit code 137", cmp.Or(reason, "no reason"))}
	}
	stop(c, run, to, end)
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
	s.asked(c, run, from, now, s.stop)
}
