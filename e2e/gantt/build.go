package gantt

import (
	"fmt"
	"slices"
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
