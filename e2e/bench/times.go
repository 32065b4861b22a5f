package bench

import (
	"fmt"
	"time"

	"sidecar-node/e2e/journal"
	"sidecar-node/images/probe/record"
)

// These read times from the journal of one pod, by the clock of its node. A pod in which
// something was started twice, or has not happened, is an error: it measures something
// else.

// pod is a journal with the containers of its pod.
type pod struct {
	journal.Timeline
	sidecars int
}

// between returns the time from a to b, both of which have to have happened.
func (p pod) between(a, b journal.Point) (time.Duration, error) {
	from, err := p.At(a)
	if err != nil {
		return 0, err
	}
	to, err := p.At(b)
	if err != nil {
		return 0, err
	}
	took := time.Duration(to.Mono - from.Mono)
	if took < 0 {
		return 0, fmt.Errorf("from %s to %s it took %v, want no less than 0\n\n%s", a, b, took, p)
	}
	return took, nil
}

// startedOnce returns an error unless every container has started exactly once.
func (p pod) startedOnce() error {
	names := []string{app}
	for i := range p.sidecars {
		names = append(names, sidecarName(i+1))
	}
	for _, name := range names {
		if err := p.RunsOnce(name); err != nil {
			return err
		}
	}
	return nil
}

// start is the time from the start of the first container to that of the app.
func (p pod) start() (time.Duration, error) {
	if err := p.startedOnce(); err != nil {
		return 0, err
	}
	longest := time.Duration(0)
	for i := range p.sidecars {
		took, err := p.between(journal.Start(sidecarName(i+1)), journal.Start(app))
		if err != nil {
			return 0, err
		}
		longest = max(longest, took)
	}
	return longest, nil
}

// readyToStart is the time from the moment at which the last sidecar is ready to the
// start of the app.
func (p pod) readyToStart() (time.Duration, error) {
	if err := p.startedOnce(); err != nil {
		return 0, err
	}
	if p.sidecars == 0 {
		return 0, fmt.Errorf("the pod has no sidecar that the app waits for")
	}
	var shortest time.Duration
	for i := range p.sidecars {
		took, err := p.between(journal.Ready(sidecarName(i+1)), journal.Start(app))
		if err != nil {
			return 0, err
		}
		if i == 0 || took < shortest {
			shortest = took
		}
	}
	return shortest, nil
}

// exit is the record of the app's exit. A kill has no exact time.
func (p pod) exit() (record.Record, error) {
	if err := p.ExitsWith(app, 0); err != nil {
		return record.Record{}, err
	}
	return p.At(journal.End(app).Last())
}

// exitToTerm is the time from the exit of the app to the first TERM at its one sidecar.
func (p pod) exitToTerm() (time.Duration, error) {
	if _, err := p.exit(); err != nil {
		return 0, err
	}
	return p.between(journal.End(app).Last(), journal.Term(sidecarName(1)))
}
