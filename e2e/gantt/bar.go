package gantt

import (
	"fmt"
	"strings"
)

// bar is a segment, its places are in percent.
type bar struct {
	Segment
	X, Width float64
	Title    string
}

// Said tells whether the text stands on the bar: that of the gate does.
func (b bar) Said() bool {
	return b.Text != "" && (b.State == GateClosed || b.State == GateOpen)
}

type drawnMark struct {
	Mark
	X     float64
	Title string
	// Shown is the label, if there is room for it.
	Shown  string
	Anchor string
}

// words are the states as people say them.
var words = map[State]string{
	NotReady: "not ready", Ready: "ready", Running: "running", Stopping: "stopping", Many: "many states",
	GateClosed: "app containers wait", GateOpen: "gate open",
}

func (a axis) bars(segments []Segment, container string) []bar {
	var all []bar
	for _, s := range segments {
		b := bar{Segment: s, X: a.place(s.From)}
		to := a.place(s.To)
		what := words[s.State]
		if s.State == Hook {
			what = s.Text + " hook"
		}
		b.Title = fmt.Sprintf("%s: %s, %s to %s (%.3f s)", container, what, a.since(s.From), a.since(s.To), s.To.Sub(s.From).Seconds())
		if s.Open {
			to = 100
			b.Title = fmt.Sprintf("%s: %s from %s on", container, what, a.since(s.From))
		}
		if s.Run > 1 {
			b.Title += fmt.Sprintf(", run %d", s.Run)
		}
		if s.Text != "" && s.State != Hook {
			b.Title += ", " + s.Text
		}
		b.Width = round(to - b.X)
		all = append(all, b)
	}
	return all
}

func (a axis) marks(l Lane) []drawnMark {
	var all []drawnMark
	for _, m := range l.Marks {
		d := drawnMark{Mark: m, X: a.place(m.At)}
		d.Title = strings.TrimLeft(fmt.Sprintf("%s: %s at %s", l.Container, m.Text, a.since(m.At)), ": ")
		if m.Count > 1 {
			d.Title += fmt.Sprintf(", and %d more of the kind", m.Count-1)
			d.Label = strings.TrimSpace(fmt.Sprintf("%s ×%d", m.Label, m.Count))
		}
		all = append(all, d)
	}
	labels(all)
	return all
}
