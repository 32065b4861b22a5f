package lifecycle

import (
	"context"
	"fmt"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"

	"sidecar-node/e2e/framework"
	"sidecar-node/e2e/journal"
)

// AppCrash is a pod named "pod" whose proxy is ready while /journal/open exists
// and whose app crashes in its first run when /journal/crash exists.
type AppCrash struct {
	Manifest string
	App      string
	Sidecar  string
}

// AppRestartsPastAnUnreadySidecar lets the app crash while the sidecar is
// unready. The gate concerns the first start only: the app comes back at once.
func AppRestartsPastAnUnreadySidecar(ctx context.Context, s *framework.Space, in AppCrash) {
	apply(ctx, s, in.Manifest)
	Expect(s.Touch(ctx, "open")).To(Succeed())
	limit := s.Config.Intervals.Start.Duration
	await(ctx, s, limit, journal.Start(in.App))
	Expect(s.Untouch(ctx, "open")).To(Succeed())
	_, err := s.AwaitPod(ctx, "pod", limit, in.Sidecar+" to be seen as unready", func(pod *corev1.Pod) error {
		c := framework.Container(pod, in.Sidecar)
		if c == nil || c.Ready {
			return fmt.Errorf("container %s is ready", in.Sidecar)
		}
		return nil
	})
	Expect(err).To(Succeed())
	Expect(s.Touch(ctx, "crash")).To(Succeed())
	tl := await(ctx, s, s.Config.Intervals.Prompt.Duration, journal.Start(in.App).Run(2))
	Expect(tl.Runs(in.Sidecar, 1)).To(Succeed())
	Expect(tl.NeverAskedToStop(in.Sidecar)).To(Succeed())
	Expect(tl.Count(journal.Ready(in.Sidecar))).To(Equal(1), "the sidecar must not become ready again:\n%s", tl)
}

// AppRestartsDuringAHook lets the sidecar of the pod named "pod" crash when
// /journal/crash-sidecar exists, and the app when /journal/crash does, which is while
// the postStart hook of the restarted sidecar runs. The app does not wait for it.
func AppRestartsDuringAHook(ctx context.Context, s *framework.Space, in AppCrash) {
	apply(ctx, s, in.Manifest)
	limit := s.Config.Intervals.Start.Duration
	await(ctx, s, limit, journal.Start(in.App))
	Expect(s.Touch(ctx, "crash-sidecar")).To(Succeed())
	await(ctx, s, limit, journal.Hook(in.Sidecar, "postStart").Run(2))
	Expect(s.Touch(ctx, "crash")).To(Succeed())
	tl := await(ctx, s, limit, journal.Start(in.App).Run(2), journal.HookEnd(in.Sidecar, "postStart").Run(2))
	Expect(tl.Before(journal.Start(in.App).Run(2), journal.HookEnd(in.Sidecar, "postStart").Run(2))).To(Succeed())
	Expect(tl.Count(journal.Hook(in.Sidecar, "postStart"))).To(Equal(2), "the hook must run once for each start:\n%s", tl)
}

// SidecarFailsLiveness lets the liveness probe of the sidecar of the pod named "pod"
// fail by taking /journal/open away, which the sidecar is ready with, and ends the app
// by /journal/done when the sidecar is back. The sidecar is stopped and started again,
// and neither the app nor the phase notices.
func SidecarFailsLiveness(ctx context.Context, s *framework.Space, in AppCrash) {
	apply(ctx, s, in.Manifest)
	limit := s.Config.Intervals.Start.Duration
	Expect(s.Touch(ctx, "open")).To(Succeed())
	await(ctx, s, limit, journal.Start(in.App))
	Expect(s.Untouch(ctx, "open")).To(Succeed())
	await(ctx, s, limit, journal.Start(in.Sidecar).Run(2))
	Expect(s.Touch(ctx, "open")).To(Succeed())
	await(ctx, s, limit, journal.Ready(in.Sidecar).Run(2))
	Expect(s.Touch(ctx, "done")).To(Succeed())
	_, err := s.AwaitPhase(ctx, "pod", s.Config.Intervals.Stop.Duration, corev1.PodSucceeded)
	Expect(err).To(Succeed())
	tl, err := s.Journal(ctx)
	Expect(err).To(Succeed())
	Expect(tl.RunsOnce(in.App)).To(Succeed())
	Expect(tl.Runs(in.Sidecar, 2)).To(Succeed())
	Expect(tl.Between(journal.Start(in.App), journal.Term(in.Sidecar), journal.Start(in.Sidecar).Run(2))).To(Succeed())
	Expect(tl.Before(journal.End(in.App), journal.Term(in.Sidecar).Run(2))).To(Succeed())
}
