package lifecycle

import (
	"context"

	. "github.com/onsi/gomega"

	"sidecar-node/e2e/framework"
	"sidecar-node/e2e/journal"
)

// Shutdown is a pod named "pod" that is deleted when it runs.
type Shutdown struct {
	Manifest string
	// Running has to be in the journal before the pod is deleted.
	Running []journal.Point
	Judge   []Judge
}

// StopsInOrder deletes the running pod and judges how it went down.
func StopsInOrder(ctx context.Context, s *framework.Space, in Shutdown) {
	apply(ctx, s, in.Manifest)
	await(ctx, s, s.Config.Intervals.Start.Duration, in.Running...)
	Expect(s.DeletePod(ctx, "pod", -1)).To(Succeed())
	// How long it takes is judged by the journal, where that matters: the API
	// learns of the end when the kubelet finds the time.
	err := s.AwaitPodGone(ctx, "pod", s.Config.Intervals.Stop.Duration)
	tl, jerr := s.Journal(ctx)
	Expect(jerr).To(Succeed())
	if err != nil {
		Expect(err).To(Succeed(), "%s", tl)
	}
	All(tl, in.Judge...)
}
