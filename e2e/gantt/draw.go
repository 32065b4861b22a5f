package gantt

import (
	"fmt"
	"strings"
	"time"

	"sidecar-node/e2e/role"
)

// Bounds of one picture.
const (
	maxPods  = 24
	maxLanes = 80
	maxNotes = 20
	// maxEvents bounds the events in words.
	maxEvents = 100
)

// picture is the charts of the pods of one spec, over one axis.
type picture struct {
	Charts []drawnChart
	Ticks  []Tick
	// Missing says what was left out.
	Missing string
}

type drawnChart struct {
	Pod    string
	Height int
	Lanes  []drawnLane
	// Opens are the places at which the gate opens.
	Opens []float64
	// Events are the first ones, in words.
	Events []string
	Notes  []string
}

type drawnLane struct {
	Name string
	Role role.Role
	// Class is the role as a name of a style.
	Class string
	Y     int
	Bars  []bar
	Marks []drawnMark
}

// laneHeight is in pixels, and the same in the style of the page.
const laneHeight = 30

// draw draws pods of which anything is known.
func draw(pods []Pod) picture {
	var pic picture
	var charts []Chart
	lanes := 0
	for _, p := range pods {
		if len(p.Records) == 0 && len(p.Events) == 0 && len(p.Containers) == 0 {
			continue
		}
		if c := Build(p); len(charts) < maxPods && lanes+len(c.Lanes) <= maxLanes {
			charts = append(charts, c)
			lanes += len(c.Lanes)
		}
	}
	if missing := len(pods) - len(charts); missing > 0 {
		pic.Missing = fmt.Sprintf("%d of %d pods are drawn; the journal has all of them.", len(charts), len(pods))
	}
	if len(charts) == 0 {
		return pic
	}
	start, zero, end := charts[0].Start, charts[0].Zero, charts[0].End
	for _, c := range charts {
		// A pod in which nothing has happened yet has no times.
		if c.Start.IsZero() {
			continue
		}
		if start.IsZero() {
			start, zero, end = c.Start, c.Zero, c.End
		}
		start, zero, end = earlier(start, c.Start), earlier(zero, c.Zero), later(end, c.End)
	}
	a := newAxis(start, zero, end)
	pic.Ticks = a.ticks()
	for _, c := range charts {
		pic.Charts = append(pic.Charts, a.chart(c))
	}
	return pic
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

func (a axis) chart(c Chart) drawnChart {
	d := drawnChart{Pod: c.Pod}
	add := func(l Lane, class string) {
		d.Lanes = append(d.Lanes, drawnLane{
			Name: l.Container, Role: l.Role, Class: class, Y: d.Height,
			Bars: append(a.bars(l.Segments, l.Container), a.bars(l.Hooks, l.Container)...), Marks: a.marks(l),
		})
		d.Height += laneHeight
	}
	if c.Gate != nil {
		add(*c.Gate, "gate")
		for i, s := range c.Gate.Segments {
			if i > 0 && s.State == GateOpen && c.Gate.Segments[i-1].State == GateClosed {
				d.Opens = append(d.Opens, a.place(s.From))
			}
		}
	}
	for _, l := range c.Lanes {
		add(l, strings.ReplaceAll(string(l.Role), " ", "-"))
	}
	for _, e := range c.Events[:min(len(c.Events), maxEvents)] {
		d.Events = append(d.Events, strings.Join([]string{a.since(e.At), e.Container, cut(e.Text, maxText)}, " "))
	}
	for i, n := range c.Notes {
		if i == maxNotes {
			d.Notes = append(d.Notes, fmt.Sprintf("and %d notes more", len(c.Notes)-i))
			break
		}
		d.Notes = append(d.Notes, cut(n, maxText))
	}
	return d
}
