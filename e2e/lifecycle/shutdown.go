package lifecycle

import (
	"context"
	"time"

	. "github.com/onsi/gomega"

	"sidecar-node/e2e/framework"
	"sidecar-node/e2e/journal"
)

// Shutdown is a pod named "pod" that is deleted when it runs.
type Shutdown struct {
	Manifest string
	// Running has to be in the journal before the pod is deleted.
	Running []journal.Point
	// Limit is the time from the request until the pod is gone, the overhead of
	// the kubelet and the runtime left out.
	Limit time.Duration
	Judge []Judge
}

// StopsInOrder deletes the running pod and judges how it went down.
func StopsInOrder(ctx context.Context, s *framework.Space, in Shutdown) {
	apply(ctx, s, in.Manifest)
	await(ctx, s, s.Config.Intervals.Start.Duration, in.Running...)
	Expect(s.DeletePod(ctx, "pod", -1)).To(Succeed())
	limit := in.Limit + s.Config.Intervals.KillOverhead.Duration
	err := s.AwaitPodGone(ctx, "pod", limit)
	tl, jerr := s.Journal(ctx)
	Expect(jerr).To(Succeed())
	if err != nil {
		Expect(err).To(Succeed(), "%s", tl)
	}
	All(tl, in.Judge...)
}
