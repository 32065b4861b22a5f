package gantt

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"sidecar-node/images/probe/record"
)

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
