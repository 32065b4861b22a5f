package gantt

import (
	"fmt"
	"time"

	"sidecar-node/e2e/role"
	"sidecar-node/images/probe/record"
)

// gate returns when the app containers of a pod with sidecars had to wait: from the
// first start of a sidecar to the first start of an app container. When nothing of
// the pod runs any more and then something else than an app container starts, the
// pod starts over and its gate closes again. The records do not know sandboxes, so an
// app container and all its sidecars that are down at the same time look alike.
func gate(p Pod, at func(record.Record) time.Time, end time.Time) *Lane {
	roles := map[string]role.Role{}
	sidecars := false
	for _, c := range p.Containers {
		roles[c.Name] = c.Role
		sidecars = sidecars || c.Role == role.Sidecar
	}
	if !sidecars {
		return nil
	}
	g := gateWalk{alive: map[string]bool{}}
	for _, r := range p.Records {
		switch r.Event {
		case record.Start:
			g.start(roles[r.Container], at(r))
			g.alive[r.Container] = true
		case record.Exit, record.Gone:
			g.stop(r.Container, roles, at(r))
		}
	}
	switch {
	case g.closed:
		g.add(GateClosed, end)
		g.last().Open, g.last().Text = len(g.alive) > 0, "not opened: "+g.last().Text
	case g.open && g.apps(roles):
		g.add(GateOpen, end)
		g.last().Open = true
	case g.open:
		g.add(GateOpen, g.until)
	}
	return &Lane{Container: "gate", Segments: g.segments}
}

type gateWalk struct {
	alive map[string]bool
	// passed is set when an app container has started since the pod started (over).
	passed, closed, open bool
	// from is when the gate closed or opened, until when an app container ended last.
	from, until time.Time
	segments    []Segment
	rounds      int
}

func (g *gateWalk) start(r role.Role, at time.Time) {
	if r == role.Init || r == role.Native || r == role.Sidecar {
		if len(g.alive) == 0 {
			g.passed = false
		}
		if r == role.Sidecar && !g.passed && !g.closed {
			g.closed, g.from = true, at
			g.rounds++
		}
		return
	}
	if r != role.App || g.open {
		return
	}
	if g.closed {
		g.add(GateClosed, at)
	}
	early := !g.closed && !g.passed
	g.passed, g.closed, g.open, g.from = true, false, true, at
	if early {
		// A moment of its own, so that it is seen.
		g.add(GateOpen, at)
		g.last().Text = "an app container started before the sidecars"
	}
}

// stop notes the end of a container. The gate stays open while an app container is
// down, but without one nobody needs it, so it is drawn to the last end of one.
func (g *gateWalk) stop(container string, roles map[string]role.Role, at time.Time) {
	delete(g.alive, container)
	if roles[container] == role.App {
		g.until = at
	}
	if g.open && len(g.alive) == 0 {
		g.add(GateOpen, g.until)
		g.open = false
	}
}

// apps tells whether an app container lives.
func (g *gateWalk) apps(roles map[string]role.Role) bool {
	for name := range g.alive {
		if roles[name] == role.App {
			return true
		}
	}
	return false
}

func (g *gateWalk) add(s State, at time.Time) {
	text := ""
	if s == GateClosed {
		text = fmt.Sprintf("closed for %.3f s", at.Sub(g.from).Seconds())
		if g.rounds > 1 {
			text += ", as the pod started over"
		}
	}
	g.segments = append(g.segments, Segment{State: s, From: g.from, To: at, Run: max(g.rounds, 1), Text: text})
}

func (g *gateWalk) last() *Segment { return &g.segments[len(g.segments)-1] }
