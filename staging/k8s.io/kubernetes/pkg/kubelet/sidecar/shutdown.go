/*
Copyright The Sidecar Node Authors.

SPDX-License-Identifier: Apache-2.0
*/

package sidecar

import (
	"sync"
	"time"
)

// Stage is the turn at which a container is stopped when its pod is: a container
// waits until all containers of lower stages have ended.
type Stage int

const (
	// StageApp is the stage of the app containers, which do not wait.
	StageApp Stage = iota
	// StageSidecar is the stage of the sidecars.
	StageSidecar
	// StageNative is the stage of the last restartable init container. Those before
	// it in the pod spec have higher stages, they are stopped one after another.
	StageNative
)

// roundUp is how much of a second that is already gone still counts as whole when
// a rest of the budget is expressed in seconds, so that a container which starts
// to stop at once is given the whole grace period.
const roundUp = 100 * time.Millisecond

// Shutdown lets the containers of one pod stop stage by stage within one grace
// period. Whoever stops a container calls Wait first and Done last; Rest says what
// is left of the grace period.
type Shutdown struct {
	deadline time.Time

	lock sync.Mutex
	// pending holds the containers that have not ended, by ID.
	pending map[string]Stage
	// changed is closed and replaced when a container has ended.
	changed chan struct{}
}

// NewShutdown starts the shutdown of running containers, given by ID. The grace
// period, in seconds, covers all of them, their hooks included.
func NewShutdown(running map[string]Stage, gracePeriod int64) *Shutdown {
	s := &Shutdown{
		deadline: time.Now().Add(time.Duration(gracePeriod) * time.Second),
		pending:  make(map[string]Stage, len(running)),
		changed:  make(chan struct{}),
	}
	for id, stage := range running {
		s.pending[id] = stage
	}
	return s
}

// Stage returns the stage of a container that has not ended, StageApp for others.
func (s *Shutdown) Stage(id string) Stage {
	s.lock.Lock()
	defer s.lock.Unlock()
	return s.pending[id]
}

// Wait returns when all containers of lower stages have ended or when the grace
// period is over.
func (s *Shutdown) Wait(id string) {
	timer := time.NewTimer(time.Until(s.deadline))
	defer timer.Stop()
	for {
		turn, changed := s.turn(id)
		if turn {
			return
		}
		select {
		case <-changed:
		case <-timer.C:
			return
		}
	}
}

// turn returns whether the container may stop now, and a channel that is closed
// when it is worth to ask again.
func (s *Shutdown) turn(id string) (bool, <-chan struct{}) {
	s.lock.Lock()
	defer s.lock.Unlock()
	for other, stage := range s.pending {
		if other != id && stage < s.pending[id] {
			return false, s.changed
		}
	}
	return true, nil
}

// Rest returns the whole seconds that are left of the grace period, never less
// than zero.
func (s *Shutdown) Rest() int64 {
	return max(0, int64((time.Until(s.deadline)+roundUp)/time.Second))
}

// Done is called when the container has ended, or cannot be stopped: either way
// nothing waits for it any longer.
func (s *Shutdown) Done(id string) {
	s.lock.Lock()
	defer s.lock.Unlock()
	if _, ok := s.pending[id]; !ok {
		return
	}
	delete(s.pending, id)
	close(s.changed)
	s.changed = make(chan struct{})
}
