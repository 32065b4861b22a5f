/*
Copyright The Sidecar Node Authors.

SPDX-License-Identifier: Apache-2.0
*/

package sidecar

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
)

// stopping is a container of which the test knows how long it takes to end after
// its turn has come. A deaf one uses up whatever it is given.
type stopping struct {
	stage Stage
	takes time.Duration
	deaf  bool
}

// stopAll stops the containers as the runtime manager does and returns when, after
// the start, the turn of each came and when each ended.
func stopAll(containers map[string]stopping, gracePeriod int64) (turns, ends map[string]time.Duration) {
	running := map[string]Stage{}
	for id, c := range containers {
		running[id] = c.stage
	}
	start := time.Now()
	shutdown := NewShutdown(running, gracePeriod)
	turns, ends = map[string]time.Duration{}, map[string]time.Duration{}
	var lock sync.Mutex
	var wg sync.WaitGroup
	for id, c := range containers {
		wg.Go(func() {
			defer shutdown.Done(id)
			shutdown.Wait(id)
			turn := time.Since(start)
			// Two seconds is what the runtime manager gives at least.
			gracePeriod := max(2, shutdown.Rest())
			shutdown.Stopping(id, gracePeriod)
			allowed := time.Duration(gracePeriod) * time.Second
			if c.deaf || c.takes > allowed {
				time.Sleep(allowed)
			} else {
				time.Sleep(c.takes)
			}
			lock.Lock()
			defer lock.Unlock()
			turns[id], ends[id] = turn, time.Since(start)
		})
	}
	wg.Wait()
	return turns, ends
}

func TestShutdownOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		turns, ends := stopAll(map[string]stopping{
			"app-quick": {stage: StageApp, takes: time.Second},
			"app-slow":  {stage: StageApp, takes: 5 * time.Second},
			"proxy":     {stage: StageSidecar, takes: 3 * time.Second},
			"shipper":   {stage: StageSidecar, takes: time.Second},
			"native-2":  {stage: StageNative, takes: time.Second},
			"native-1":  {stage: StageNative + 1, takes: time.Second},
		}, 30)
		assert.Equal(t, map[string]time.Duration{
			"app-quick": 0, "app-slow": 0,
			"proxy": 5 * time.Second, "shipper": 5 * time.Second,
			"native-2": 8 * time.Second, "native-1": 9 * time.Second,
		}, turns)
		assert.Equal(t, 10*time.Second, ends["native-1"])
	})
}

func TestShutdownWithinBudget(t *testing.T) {
	for _, test := range []struct {
		name       string
		containers map[string]stopping
	}{
		{"deaf app", map[string]stopping{"app": {deaf: true}, "sidecar": {stage: StageSidecar, takes: time.Second}}},
		{"deaf sidecar", map[string]stopping{"app": {takes: time.Second}, "sidecar": {stage: StageSidecar, deaf: true}}},
		{"all deaf", map[string]stopping{
			"app": {deaf: true}, "other": {deaf: true},
			"sidecar": {stage: StageSidecar, deaf: true}, "native": {stage: StageNative, deaf: true},
		}},
		{"app ends just in time", map[string]stopping{"app": {takes: 9900 * time.Millisecond}, "sidecar": {stage: StageSidecar, deaf: true}}},
		{"fractions of seconds add up", map[string]stopping{
			"app":      {takes: 3700 * time.Millisecond},
			"sidecar":  {stage: StageSidecar, takes: 3700 * time.Millisecond},
			"native-2": {stage: StageNative, takes: 1900 * time.Millisecond},
			"native-1": {stage: StageNative + 1, deaf: true},
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				_, ends := stopAll(test.containers, 10)
				for id, end := range ends {
					assert.LessOrEqual(t, end, 12*time.Second+roundUp, "end of %s", id)
				}
			})
		})
	}
}

// A deaf app is gone before the sidecars are stopped, although it takes the runtime
// a moment to kill it.
func TestShutdownWaitsForTheKill(t *testing.T) {
	for _, test := range []struct {
		name      string
		killTakes time.Duration
		turn      time.Duration
	}{
		{"at once", 0, 10 * time.Second},
		{"soon", 1400 * time.Millisecond, 11400 * time.Millisecond},
		{"never", time.Hour, 12 * time.Second},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				shutdown := NewShutdown(map[string]Stage{"app": StageApp, "sidecar": StageSidecar}, 10)
				time.AfterFunc(time.Millisecond, func() { shutdown.Stopping("app", 10) })
				time.AfterFunc(10*time.Second+test.killTakes, func() { shutdown.Done("app") })
				shutdown.Wait("sidecar")
				assert.Equal(t, test.turn, time.Since(start))
				time.Sleep(2 * time.Hour)
			})
		})
	}
}

// An app whose hook has used up the grace period still has upstream's two seconds.
// The sidecars do not wait for it: theirs begin at the same time.
func TestShutdownDoesNotWaitBeyondTheGracePeriod(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		shutdown := NewShutdown(map[string]Stage{"app": StageApp, "sidecar": StageSidecar}, 10)
		time.AfterFunc(10*time.Second-time.Millisecond, func() { shutdown.Stopping("app", 2) })
		shutdown.Wait("sidecar")
		assert.Equal(t, 10*time.Second, time.Since(start))
	})
}

func TestShutdownUsesWholeGracePeriod(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shutdown := NewShutdown(map[string]Stage{"app": StageApp}, 30)
		time.Sleep(time.Millisecond)
		assert.Equal(t, int64(30), shutdown.Rest(), "a container that stops at once is given all of it")
		time.Sleep(3600 * time.Millisecond)
		assert.Equal(t, int64(26), shutdown.Rest())
		time.Sleep(time.Minute)
		assert.Equal(t, int64(0), shutdown.Rest())
	})
}

func TestShutdownIsNotBlocked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shutdown := NewShutdown(map[string]Stage{"app": StageApp, "sidecar": StageSidecar}, 600)
		start := time.Now()
		// Not among the running ones: never started, or gone already.
		shutdown.Done("never-started")
		shutdown.Wait("never-started")
		assert.Zero(t, time.Since(start))
		// The app cannot be stopped: whoever tried says so by Done.
		time.AfterFunc(time.Second, func() { shutdown.Done("app"); shutdown.Done("app") })
		shutdown.Wait("sidecar")
		assert.Equal(t, time.Second, time.Since(start))
	})
}
