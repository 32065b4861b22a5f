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

// killTime is how long a container that is killed when the grace period is over may
// take to end before the next stage stops waiting for it.
const killTime = 2 * time.Second

// Shutdown lets the containers of one pod stop stage by stage within one grace
// period. Whoever stops a container calls Wait first, Stopping when it is sent its
// signal, and Done last; Rest says what is left of the grace period.
type Shutdown struct {
	deadline time.Time

	lock sync.Mutex
	// pending holds the containers that have not ended, by ID.
	pending map[string]*pendingContainer
	// changed is closed and replaced when a container has ended.
	changed chan struct{}
}

// pendingContainer is a container that has not ended.
type pendingContainer struct {
	stage Stage
	// killed is when the runtime kills the container if it has not ended by then,
	// zero as long as it has not been sent its signal.
	killed time.Time
}

// NewShutdown starts the shutdown of running containers, given by ID. The grace
// period, in seconds, covers all of them, their hooks included.
func NewShutdown(running map[string]Stage, gracePeriod int64) *Shutdown {
	s := &Shutdown{
		deadline: time.Now().Add(time.Duration(gracePeriod) * time.Second),
		pending:  make(map[string]*pendingContainer, len(running)),
		changed:  make(chan struct{}),
	}
	for id, stage := range running {
		s.pending[id] = &pendingContainer{stage: stage}
	}
	return s
}

// Stage returns the stage of a container that has not ended, StageApp for others.
func (s *Shutdown) Stage(id string) Stage {
	s.lock.Lock()
	defer s.lock.Unlock()
	return s.stage(id)
}

func (s *Shutdown) stage(id string) Stage {
	if container, ok := s.pending[id]; ok {
		return container.stage
	}
	return StageApp
}

// Running returns true if a container of the stage has not ended.
func (s *Shutdown) Running(stage Stage) bool {
	s.lock.Lock()
	defer s.lock.Unlock()
	for _, container := range s.pending {
		if container.stage == stage {
			return true
		}
	}
	return false
}

// Wait returns when all containers of lower stages have ended. It does not wait
// longer than the grace period, except for containers that are killed at its end,
// which it gives a moment to be gone.
func (s *Shutdown) Wait(id string) {
	for {
		turn, until, changed := s.turn(id)
		if turn {
			return
		}
		timer := time.NewTimer(time.Until(until))
		select {
		case <-changed:
			timer.Stop()
		case <-timer.C:
			return
		}
	}
}

// turn returns whether the container may stop now; if not, until when it waits and a
// channel that is closed when it is worth to ask again.
func (s *Shutdown) turn(id string) (bool, time.Time, <-chan struct{}) {
	s.lock.Lock()
	defer s.lock.Unlock()
	turn, until := true, s.deadline.Add(killTime)
	for other, container := range s.pending {
		if other == id || container.stage >= s.stage(id) {
			continue
		}
		turn = false
		if container.killed.IsZero() || container.killed.After(s.deadline.Add(roundUp)) {
			until = s.deadline
		}
	}
	return turn, until, s.changed
}

// Stopping is called when the container is sent its signal, to be killed if it has
// not ended within the given seconds.
func (s *Shutdown) Stopping(id string, gracePeriod int64) {
	s.lock.Lock()
	defer s.lock.Unlock()
	if container, ok := s.pending[id]; ok {
		container.killed = time.Now().Add(time.Duration(gracePeriod) * time.Second)
		s.change()
	}
}

// change lets those who wait ask again. The caller holds the lock.
func (s *Shutdown) change() {
	close(s.changed)
	s.changed = make(chan struct{})
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
	s.change()
}
