package filelock

import (
	"context"
	"errors"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func TestOneAtATime(t *testing.T) {
	name := filepath.Join(t.TempDir(), "lock")
	var inside, most, waited atomic.Int32
	var all sync.WaitGroup
	for range 3 {
		all.Go(func() {
			release, err := Hold(context.Background(), name, func() { waited.Add(1) })
			if err != nil {
				t.Error(err)
				return
			}
			most.Store(max(most.Load(), inside.Add(1)))
			time.Sleep(50 * time.Millisecond)
			inside.Add(-1)
			release()
		})
	}
	all.Wait()
	if most.Load() != 1 || waited.Load() < 1 {
		t.Errorf("%d at a time, %d waited; want 1 at a time, and that others waited", most.Load(), waited.Load())
	}
}

func TestWaitingCanBeInterrupted(t *testing.T) {
	name := filepath.Join(t.TempDir(), "lock")
	release, err := Hold(context.Background(), name, func() {})
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	ctx, cancel := context.WithCancel(context.Background())
	if _, err := Hold(ctx, name, cancel); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want that it was cancelled", err)
	}
}

func TestUnusableName(t *testing.T) {
	if _, err := Hold(context.Background(), filepath.Join(t.TempDir(), "no", "lock"), func() {}); err == nil {
		t.Error("a lock in a folder that doesn't exist was taken")
	}
}
