package journal

import (
	"slices"

	"sidecar-node/images/probe/record"
)

// StartsBefore fails unless a starts before b starts.
func (t Timeline) StartsBefore(a, b string) error { return t.Before(Start(a), Start(b)) }

// ReadyBefore fails unless a is ready before b starts.
func (t Timeline) ReadyBefore(a, b string) error { return t.Before(Ready(a), Start(b)) }

// ExitsBefore fails unless a ends for good before b ends for good.
func (t Timeline) ExitsBefore(a, b string) error { return t.Before(End(a).Last(), End(b).Last()) }

// ExitsBeforeStopOf fails unless a ends for good before b is asked to stop in
// any way: neither b's preStop hook nor TERM may reach it earlier. At least one
// of the two must come.
func (t Timeline) ExitsBeforeStopOf(a, b string) error {
	asked := false
	for _, p := range []Point{Hook(b, "preStop"), Term(b)} {
		if t.Count(p) == 0 {
			continue
		}
		asked = true
		if err := t.Before(End(a).Last(), p); err != nil {
			return err
		}
	}
	if !asked {
		return t.errorf("%s was never asked to stop: want its preStop hook or TERM after the end of %s", b, a)
	}
	return nil
}

// NeverStarted fails if the container has started.
func (t Timeline) NeverStarted(container string) error {
	if n := t.Count(Start(container)); n > 0 {
		return t.errorf("%s must never start, but started %d times", container, n)
	}
	return nil
}

// Runs fails unless the container has started exactly n times.
func (t Timeline) Runs(container string, n int) error {
	if got := t.Count(Start(container)); got != n {
		return t.errorf("%s must start %d times, but started %d times", container, n, got)
	}
	return nil
}

// RunsOnce fails unless the container has started exactly once.
func (t Timeline) RunsOnce(container string) error { return t.Runs(container, 1) }

// HookRunsOnce fails unless the container's hook has begun exactly once.
func (t Timeline) HookRunsOnce(container, hook string) error {
	if n := t.Count(Hook(container, hook)); n != 1 {
		return t.errorf("the %s hook of %s must run once, but ran %d times", hook, container, n)
	}
	return nil
}

// NeverAskedToStop fails if a preStop hook or TERM has reached the container.
func (t Timeline) NeverAskedToStop(container string) error {
	if t.Count(Hook(container, "preStop"))+t.Count(Term(container)) > 0 {
		return t.errorf("%s must not be asked to stop, but was", container)
	}
	return nil
}

// ExitsWith fails unless the container's last run ended by itself with the code.
func (t Timeline) ExitsWith(container string, code int) error {
	i, err := t.find(End(container).Last())
	if err != nil {
		return err
	}
	r := t.records[i]
	if r.Event != record.Exit {
		return t.errorf("%s must exit with %d, but was killed", container, code)
	}
	if *r.Code != code {
		return t.errorf("%s must exit with %d, but exited with %d", container, code, *r.Code)
	}
	return nil
}

// WasKilled fails unless the container's last run ended without a word.
func (t Timeline) WasKilled(container string) error {
	i, err := t.find(End(container).Last())
	if err != nil {
		return err
	}
	if t.records[i].Event != record.Gone {
		return t.errorf("%s must be killed, but ended by itself", container)
	}
	return nil
}

// EveryCallSucceeds fails unless the container has ended by itself, has called
// somebody, and none of its calls in any run has failed.
func (t Timeline) EveryCallSucceeds(container string) error {
	calls := record.Calls{}
	for _, r := range t.records {
		if r.Container == container && r.Event == record.Exit && r.Calls != nil {
			calls.OK += r.Calls.OK
			calls.Failed += r.Calls.Failed
		}
	}
	failed := slices.ContainsFunc(t.records, func(r record.Record) bool {
		return r.Container == container && r.Event == record.CallFailed
	})
	switch {
	case calls.Failed > 0 || failed:
		return t.errorf("every call of %s must succeed, but %d failed and %d succeeded", container, calls.Failed, calls.OK)
	case calls.OK == 0:
		return t.errorf("%s must call somebody and exit by itself", container)
	}
	return nil
}

// CallsWhileStopping fails unless the container made calls between its first
// TERM and its exit; without them EveryCallSucceeds says nothing about the stop.
func (t Timeline) CallsWhileStopping(container string) error {
	asked, err := t.find(Term(container))
	if err != nil {
		return err
	}
	ended, err := t.find(End(container).Last())
	if err != nil {
		return err
	}
	before, after := t.records[asked].Calls, t.records[ended].Calls
	if before == nil || after == nil || after.OK+after.Failed <= before.OK+before.Failed {
		return t.errorf("%s must make calls after TERM, but made none", container)
	}
	return nil
}

// Has fails unless the journal holds the point, in any pod.
func (t Timeline) Has(p Point) error {
	if t.Count(p) == 0 {
		return t.errorf("%s is missing", p)
	}
	return nil
}
