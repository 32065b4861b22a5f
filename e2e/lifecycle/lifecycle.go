// Package lifecycle holds the scenarios of the suite. A scenario takes a
// manifest and what to expect of it; the files *_test.go one folder up say with
// what it runs. Order is judged from the journal alone, never from the status of
// a pod, which follows behind.
package lifecycle

import (
	"context"
	"fmt"
	"time"

	"github.com/onsi/gomega"

	"sidecar-node/e2e/framework"
	"sidecar-node/e2e/journal"
)

// Judge judges a journal.
type Judge func(journal.Timeline) error

// All judges every judge.
func All(tl journal.Timeline, judges ...Judge) {
	for _, j := range judges {
		gomega.ExpectWithOffset(1, j(tl)).To(gomega.Succeed())
	}
}

// Before wants a before b.
func Before(a, b journal.Point) Judge {
	return func(t journal.Timeline) error { return t.Before(a, b) }
}

// Within wants b at most limit after a.
func Within(a, b journal.Point, limit time.Duration) Judge {
	return func(t journal.Timeline) error { return t.Within(a, b, limit) }
}

// ExitsBeforeStopOf wants app to be over before anything asks sidecar to stop.
func ExitsBeforeStopOf(app, sidecar string) Judge {
	return func(t journal.Timeline) error { return t.ExitsBeforeStopOf(app, sidecar) }
}

// Runs wants the container to start n times.
func Runs(container string, n int) Judge {
	return func(t journal.Timeline) error { return t.Runs(container, n) }
}

// ExitsWith wants the container to end by itself with the code.
func ExitsWith(container string, code int) Judge {
	return func(t journal.Timeline) error { return t.ExitsWith(container, code) }
}

// WasKilled wants the container to be killed.
func WasKilled(container string) Judge {
	return func(t journal.Timeline) error { return t.WasKilled(container) }
}

// HookRunsOnce wants the hook to run once.
func HookRunsOnce(container, hook string) Judge {
	return func(t journal.Timeline) error { return t.HookRunsOnce(container, hook) }
}

// EveryCallSucceeds wants the container to make calls, all of them successful.
func EveryCallSucceeds(container string) Judge {
	return func(t journal.Timeline) error { return t.EveryCallSucceeds(container) }
}

// CallsWhileStopping wants calls between TERM and exit.
func CallsWhileStopping(container string) Judge {
	return func(t journal.Timeline) error { return t.CallsWhileStopping(container) }
}

// Has wants the point in the journal.
func Has(p journal.Point) Judge {
	return func(t journal.Timeline) error { return t.Has(p) }
}

// apply creates the manifest's objects.
func apply(ctx context.Context, s *framework.Space, manifest string) {
	gomega.ExpectWithOffset(1, s.Apply(ctx, manifest)).To(gomega.Succeed())
}

// await returns the journal as soon as it holds all the points.
func await(ctx context.Context, s *framework.Space, limit time.Duration, points ...journal.Point) journal.Timeline {
	var tl journal.Timeline
	for _, p := range points {
		var err error
		tl, err = s.AwaitPoint(ctx, limit, p)
		gomega.ExpectWithOffset(1, err).To(gomega.Succeed())
	}
	return tl
}

// Step makes something happen in a running pod and waits for it.
type Step struct {
	// Touch is the name of a file for which a container waits.
	Touch string
	// Await is what has to be in the journal before the next step; none for the
	// last step.
	Await *journal.Point
	// Restarted is a container of the Job's pod that the API then has to show as
	// running again; empty for none.
	Restarted string
}

// walk goes through the steps.
func walk(ctx context.Context, s *framework.Space, steps []Step) {
	for _, step := range steps {
		gomega.ExpectWithOffset(1, s.Touch(ctx, step.Touch)).To(gomega.Succeed())
		if step.Await != nil {
			_, err := s.AwaitPoint(ctx, s.Config.Intervals.Start.Duration, *step.Await)
			gomega.ExpectWithOffset(1, err).To(gomega.Succeed())
		}
		if step.Restarted != "" {
			gomega.EventuallyWithOffset(1, ctx, func() error { return showsRestart(ctx, s, step.Restarted) }).
				WithTimeout(s.Config.Intervals.Start.Duration).WithPolling(s.Config.Intervals.Poll.Duration).Should(gomega.Succeed())
		}
	}
}

// showsRestart returns an error unless the API shows the container of the Job's only pod
// as running again. A status that goes from terminated to running is refused for other
// containers.
func showsRestart(ctx context.Context, s *framework.Space, container string) error {
	pods, err := s.Pods(ctx, "job-name=job")
	if err != nil {
		return err
	}
	if len(pods) != 1 {
		return fmt.Errorf("the Job has %d pods, want one", len(pods))
	}
	c := framework.Container(&pods[0], container)
	if c == nil || c.State.Running == nil || c.RestartCount == 0 {
		return fmt.Errorf("container %s is shown as %+v, want it running again", container, c)
	}
	return nil
}

// Until is a step: make the file, and wait for the point.
func Until(file string, p journal.Point) Step { return Step{Touch: file, Await: &p} }
