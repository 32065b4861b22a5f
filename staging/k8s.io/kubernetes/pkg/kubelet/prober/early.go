/*
Copyright The Sidecar Node Authors.

SPDX-License-Identifier: Apache-2.0
*/

package prober

import (
	"sync"
	"time"

	v1 "k8s.io/api/core/v1"
	kubecontainer "k8s.io/kubernetes/pkg/kubelet/container"
	"k8s.io/kubernetes/pkg/kubelet/prober/results"
)

// firstEarlyProbe is how long after the start of a container its first early probe
// runs. Each later one waits twice as long as the one before it.
const firstEarlyProbe = 100 * time.Millisecond

// earlyProbes makes a worker probe before its period is over, at growing intervals up
// to that period, until the probe has succeeded once: app containers wait for that,
// and a sidecar often needs a small part of the period to become ready. Only the
// success of an early probe counts. Its failure is no failure, so that the sidecar is
// given all the time that the failure threshold grants it; further successes, if the
// success threshold wants them, are a period apart. The workers of other containers
// have none: what they call accepts nil.
type earlyProbes struct {
	period       time.Duration
	initialDelay time.Duration
	// ready holds a value when an early probe is due.
	ready chan struct{}
	// running is true during an early probe. Only the worker uses it.
	running bool

	lock sync.Mutex
	// containerID is the container that is probed early, or was.
	containerID string
	succeeded   bool
	interval    time.Duration
}

func newEarlyProbes(kind probeType, container *v1.Container, probe *v1.Probe) *earlyProbes {
	if kind == liveness || !kubecontainer.IsSidecar(container) {
		return nil
	}
	return &earlyProbes{
		period:       time.Duration(probe.PeriodSeconds) * time.Second,
		initialDelay: time.Duration(probe.InitialDelaySeconds) * time.Second,
		ready:        make(chan struct{}, 1),
	}
}

// begin schedules the early probes of a container that may be probed from now on. It
// does nothing if that has been done already.
func (e *earlyProbes) begin(containerID string, startedAt time.Time) {
	if e == nil {
		return
	}
	e.lock.Lock()
	defer e.lock.Unlock()
	if e.containerID == containerID {
		return
	}
	e.containerID, e.succeeded, e.interval = containerID, false, firstEarlyProbe
	e.schedule(max(time.Until(startedAt.Add(e.initialDelay)), firstEarlyProbe))
}

// schedule makes the next early probe due. The caller holds the lock.
func (e *earlyProbes) schedule(after time.Duration) {
	time.AfterFunc(after, func() {
		select {
		case e.ready <- struct{}{}:
		default: // One is due.
		}
	})
}

// due returns a channel that holds a value when an early probe is due.
func (e *earlyProbes) due() <-chan struct{} {
	if e == nil {
		return nil
	}
	return e.ready
}

// start is called when the next probe is an early one, which nil has none of.
func (e *earlyProbes) start() { e.running = true }

// discards returns true if the result is of an early probe and does not count.
func (e *earlyProbes) discards(result results.Result) bool {
	if e == nil {
		return false
	}
	if result == results.Success {
		e.lock.Lock()
		defer e.lock.Unlock()
		e.succeeded = true
		return false
	}
	return e.running
}

// end is called when a probe has ended. It schedules the next one, unless the probes
// at the usual times are soon enough or the container has no need of any.
func (e *earlyProbes) end() {
	if e == nil || !e.running {
		return
	}
	e.running = false
	e.lock.Lock()
	defer e.lock.Unlock()
	e.interval *= 2
	if !e.succeeded && e.interval < e.period {
		e.schedule(e.interval)
	}
}
