package gantt

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"sidecar-node/e2e/role"
	"sidecar-node/images/probe/record"
)

// Build computes the chart of a pod.
func Build(p Pod) Chart {
	b := builder{pod: p, at: clock(p.Records), lives: map[string]*life{}}
	b.chart = Chart{Pod: p.Name, Events: p.Events, Notes: slices.Clone(p.Notes)}
	for _, c := range p.Containers {
		b.life(c.Name, c.Role)
	}
	for _, r := range p.Records {
		at := b.at(r)
		b.seen(at)
		b.life(r.Container, role.Unknown).take(r, at)
		if r.Event == record.Exit && r.Calls != nil {
			b.chart.Notes = append(b.chart.Notes, fmt.Sprintf("%s: %d calls, %d failed", r.Container, r.Calls.OK+r.Calls.Failed, r.Calls.Failed))
		}
	}
	b.chart.Zero = b.chart.Start
	for _, e := range p.Events {
		b.seen(e.At)
	}
	if len(p.Records) == 0 {
		b.chart.Zero = b.chart.Start
	}
	if !p.Until.IsZero() && !b.chart.Start.IsZero() {
		b.seen(p.Until)
	}
	b.chart.Gate = gate(p, b.at, b.chart.End)
	b.say(p.Events)
	for _, l := range b.order {
		l.end(b.chart.End)
		l.lane.bound()
		b.chart.Lanes = append(b.chart.Lanes, l.lane)
	}
	if b.chart.Gate != nil {
		b.chart.Gate.bound()
	}
	return b.chart
}

type builder struct {
	pod   Pod
	chart Chart
	at    func(record.Record) time.Time
	lives map[string]*life
	order []*life
}

func (b *builder) seen(at time.Time) {
	if b.chart.Start.IsZero() || at.Before(b.chart.Start) {
		b.chart.Start = at
	}
	if at.After(b.chart.End) {
		b.chart.End = at
	}
}

func (b *builder) life(name string, r role.Role) *life {
	l, ok := b.lives[name]
	if !ok {
		l = &life{lane: Lane{Container: name, Role: r}, vague: b.pod.Vague[name]}
		b.lives[name] = l
		b.order = append(b.order, l)
	}
	return l
}

// say puts events on the lanes that they are about; those about the pod are on the
// gate's, if there is one.
func (b *builder) say(events []Event) {
	for _, e := range events {
		mark := Mark{Kind: Said, At: e.At, Text: e.Text, Count: 1}
		switch l, ok := b.lives[e.Container]; {
		case ok:
			l.lane.Marks = append(l.lane.Marks, mark)
		case b.chart.Gate != nil && e.Container == "":
			b.chart.Gate.Marks = append(b.chart.Gate.Marks, mark)
		}
	}
}

// clock returns the time of a record. The clock of the node since its boot is better
// than that of the wall, which may be set; but a boot sets it back, and then the wall
// has to do.
func clock(records []record.Record) func(record.Record) time.Time {
	wall := func(r record.Record) time.Time { return r.Wall }
	if len(records) == 0 {
		return wall
	}
	first := records[0]
	for i, r := range records {
		if i > 0 && r.Mono < records[i-1].Mono {
			return wall
		}
	}
	return func(r record.Record) time.Time { return first.Wall.Add(time.Duration(r.Mono - first.Mono)) }
}

// life follows one container from record to record.
type life struct {
	lane  Lane
	vague bool
	// runs is set while the process lives, in state since from.
	runs  bool
	state State
	from  time.Time
	run   int
	hooks []Segment
}

func (l *life) take(r record.Record, at time.Time) {
	switch r.Event {
	case record.Start:
		l.stop(at, "no end was recorded")
		l.runs, l.state, l.from, l.run = true, NotReady, at, max(r.Run, 1)
		if l.vague {
			l.state = Running
		}
	case record.Ready:
		l.become(Ready, at)
	case record.Unready:
		l.become(NotReady, at)
	case record.Signal:
		kind := Signalled
		if r.Signal == "TERM" {
			kind = Term
			l.become(Stopping, at)
		}
		l.mark(kind, at, r.Signal, r.Signal+" arrives")
	case record.Exit:
		kind, code := Exited, 0
		if r.Code != nil {
			code = *r.Code
		}
		// Most programs that die of TERM exit with 143: that is no error.
		if code != 0 && (code != 143 || l.state != Stopping) {
			kind = Failed
		}
		l.stop(at, "")
		l.mark(kind, at, fmt.Sprintf("exit %d", code), strings.TrimSuffix(fmt.Sprintf("exit with code %d: %s", code, r.Note), ": "))
	case record.Gone:
		l.stop(at, "")
		l.mark(Killed, at, "killed", strings.TrimSuffix("killed: "+r.Note, ": "))
	case record.HookStart:
		if r.Hook == "preStop" {
			l.become(Stopping, at)
		}
		l.hooks = append(l.hooks, Segment{State: Hook, From: at, Run: r.Run, Text: r.Hook})
	case record.HookEnd:
		if i := slices.IndexFunc(l.hooks, func(h Segment) bool { return h.Text == r.Hook }); i >= 0 {
			l.lane.Hooks = append(l.lane.Hooks, ended(l.hooks[i], at))
			l.hooks = slices.Delete(l.hooks, i, i+1)
		}
	case record.CallFailed:
		l.mark(CallFailed, at, "", "a call failed: "+r.Note)
	}
}

// become changes the state of the process that runs. What stops, stops.
func (l *life) become(s State, at time.Time) {
	if !l.runs || l.state == s || l.state == Stopping {
		return
	}
	l.add(at)
	l.state, l.from = s, at
}

func (l *life) add(at time.Time) {
	l.lane.Segments = append(l.lane.Segments, Segment{State: l.state, From: l.from, To: at, Run: l.run})
}

func (l *life) mark(kind Kind, at time.Time, label, text string) {
	l.lane.Marks = append(l.lane.Marks, Mark{Kind: kind, At: at, Label: label, Text: text, Count: 1})
}

// stop ends the process, if one runs, and the hooks in it.
func (l *life) stop(at time.Time, why string) {
	if !l.runs {
		return
	}
	l.add(at)
	l.lane.Segments[len(l.lane.Segments)-1].Text = why
	for _, h := range l.hooks {
		l.lane.Hooks = append(l.lane.Hooks, ended(h, at))
	}
	l.runs, l.hooks = false, nil
}

// end leaves open what runs still.
func (l *life) end(at time.Time) {
	if l.runs {
		l.add(at)
		l.lane.Segments[len(l.lane.Segments)-1].Open = true
	}
	for _, h := range l.hooks {
		h.Open = l.runs
		l.lane.Hooks = append(l.lane.Hooks, ended(h, at))
	}
	l.runs, l.hooks = false, nil
}

func ended(s Segment, at time.Time) Segment {
	s.To = at
	return s
}
