package lifecycle

import (
	"context"
	"time"

	"github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"

	"sidecar-node/e2e/framework"
	"sidecar-node/e2e/journal"
)

// Stage is a pod named "pod", or a Job named "job", at that point of its life at
// which something happens to its node.
type Stage struct {
	// Name says where in its life the pod is, and what has to come of it.
	Name     string
	Manifest string
	// Reach brings the pod there.
	Reach func(context.Context, *framework.Space)
	// Open are points that have to lie ahead when the node is disturbed: otherwise
	// the stage is over.
	Open []journal.Point
	// During happens while the node is disturbed.
	During func(context.Context, *framework.Space)
	// Judge judges what came of it.
	Judge func(context.Context, *framework.Space)
}

// Begin creates the objects of the stage.
func (st Stage) Begin(ctx context.Context, s *framework.Space) { apply(ctx, s, st.Manifest) }

// IsThere wants the pod to be at its stage.
func (st Stage) IsThere(ctx context.Context, s *framework.Space) {
	tl, err := s.Journal(ctx)
	ExpectWithOffset(1, err).To(Succeed())
	for _, p := range st.Open {
		ExpectWithOffset(1, tl.Count(p)).To(BeZero(), "%s: this machine is too slow to prove anything, %s has come already\n%s", st.Name, p, tl)
	}
}

// reach has the stage reached when the journal holds the points.
func (st Stage) reach(points ...journal.Point) Stage {
	st.Reach = func(ctx context.Context, s *framework.Space) {
		await(ctx, s, s.Config.Intervals.Start.Duration, points...)
	}
	return st
}

// Held returns the stage in which the app waits for the proxy, which becomes ready
// when /journal/open exists. The app must not start before, and has to start then.
func Held(name, manifest string) Stage {
	st := Stage{Name: name, Manifest: manifest}.reach(journal.Start("proxy"))
	st.Judge = func(ctx context.Context, s *framework.Space) {
		neverStarts(ctx, s, "app")
		Expect(s.Touch(ctx, "open")).To(Succeed())
		tl := await(ctx, s, s.Config.Intervals.Start.Duration, journal.Start("app"))
		Expect(tl.ReadyBefore("proxy", "app")).To(Succeed())
		Expect(tl.RunsOnce("proxy")).To(Succeed())
		Expect(tl.RunsOnce("app")).To(Succeed())
	}
	return st
}

// neverStarts watches for a while that the container does not start.
func neverStarts(ctx context.Context, s *framework.Space, container string) {
	ConsistentlyWithOffset(1, ctx, func() error {
		tl, err := s.Journal(ctx)
		if err != nil {
			return err
		}
		return tl.NeverStarted(container)
	}).WithTimeout(s.Config.Intervals.Settle.Duration).WithPolling(s.Config.Intervals.Poll.Duration).Should(Succeed())
}

// InHook returns the stage in which the postStart hook of the proxy runs. The app has
// to start after the hook has come to its end, by whichever kubelet.
func InHook(name, manifest string) Stage {
	st := Stage{Name: name, Manifest: manifest, Open: []journal.Point{journal.HookEnd("proxy", "postStart")}}.reach(journal.Hook("proxy", "postStart"))
	st.Judge = func(ctx context.Context, s *framework.Space) {
		tl := await(ctx, s, s.Config.Intervals.Start.Duration, journal.Start("app"))
		Expect(tl.Before(journal.HookEnd("proxy", "postStart"), journal.Start("app"))).To(Succeed())
		Expect(tl.RunsOnce("app")).To(Succeed())
	}
	return st
}

// Steady returns the stage in which all containers run. They have to go on running,
// and a crash of the app, when /journal/crash exists, has to bring it back at once.
func Steady(name, manifest string, containers ...string) Stage {
	var points []journal.Point
	for _, c := range containers {
		points = append(points, journal.Start(c))
	}
	st := Stage{Name: name, Manifest: manifest}.reach(append(points, journal.Start("app"))...)
	st.Judge = func(ctx context.Context, s *framework.Space) {
		Expect(s.Touch(ctx, "crash")).To(Succeed())
		tl := await(ctx, s, s.Config.Intervals.Prompt.Duration, journal.Start("app").Run(2))
		for _, c := range containers {
			Expect(tl.RunsOnce(c)).To(Succeed())
			Expect(tl.NeverAskedToStop(c)).To(Succeed())
		}
	}
	return st
}

// Completing returns the stage in which the app of a Job has ended and its sidecar
// takes its time to stop. The Job has to complete and nothing may start again.
func Completing(name, manifest string) Stage {
	st := Stage{Name: name, Manifest: manifest, Open: []journal.Point{journal.End("proxy")}}.reach(journal.End("app"), journal.Term("proxy"))
	st.Judge = func(ctx context.Context, s *framework.Space) {
		_, err := s.AwaitJob(ctx, "job", s.Config.Intervals.Job.Duration, batchv1.JobComplete)
		Expect(err).To(Succeed())
		tl, err := s.Journal(ctx)
		Expect(err).To(Succeed())
		Expect(tl.RunsOnce("app")).To(Succeed())
		Expect(tl.RunsOnce("proxy")).To(Succeed())
		Expect(tl.ExitsBeforeStopOf("app", "proxy")).To(Succeed())
	}
	return st
}

// Stopping returns the stage in which a deleted pod waits for its app to stop. The
// sidecar has to be stopped after it, within the grace period.
func Stopping(name, manifest string, grace time.Duration) Stage {
	st := Stage{Name: name, Manifest: manifest, Open: []journal.Point{journal.End("app")}, Reach: func(ctx context.Context, s *framework.Space) {
		await(ctx, s, s.Config.Intervals.Start.Duration, journal.Ready("app"), journal.Ready("proxy"))
		Expect(s.DeletePod(ctx, "pod", -1)).To(Succeed())
		await(ctx, s, s.Config.Intervals.Start.Duration, journal.Term("app"))
	}}
	st.Judge = func(ctx context.Context, s *framework.Space) {
		Expect(s.AwaitPodGone(ctx, "pod", s.Config.Intervals.Stop.Duration)).To(Succeed())
		endedInOrder(ctx, s)
		tl, err := s.Journal(ctx)
		Expect(err).To(Succeed())
		Expect(tl.Within(journal.Term("app"), journal.End("proxy"), grace+2*time.Second+s.Config.Intervals.KillOverhead.Duration)).To(Succeed())
	}
	return st
}

// ForceDeleted returns the stage in which a running pod is removed from the API while
// the kubelet is away. What the kubelet then knows of the pod is what the containers
// tell, and that has to be enough for the order.
func ForceDeleted(name, manifest string) Stage {
	st := Stage{Name: name, Manifest: manifest}.reach(journal.Ready("app"), journal.Ready("proxy"))
	st.During = func(ctx context.Context, s *framework.Space) {
		Expect(s.DeletePod(ctx, "pod", 0)).To(Succeed())
		Expect(s.AwaitPodGone(ctx, "pod", s.Config.Intervals.Prompt.Duration)).To(Succeed())
	}
	st.Judge = endedInOrder
	return st
}

// endedInOrder waits until both containers have ended, and judges how.
func endedInOrder(ctx context.Context, s *framework.Space) {
	tl := await(ctx, s, s.Config.Intervals.Stop.Duration, journal.End("app"), journal.End("proxy"))
	judgeEnd(tl)
}

// judgeEnd wants app and sidecar to have run once and ended in order.
func judgeEnd(tl journal.Timeline) {
	ginkgo.GinkgoHelper()
	Expect(tl.ExitsBeforeStopOf("app", "proxy")).To(Succeed())
	Expect(tl.RunsOnce("app")).To(Succeed())
	Expect(tl.RunsOnce("proxy")).To(Succeed())
}

// StartsOver returns the stage in which a running pod loses its sandbox. In the new
// one the sidecar has to become ready once more before the app starts.
func StartsOver(name, manifest string) Stage {
	st := Stage{Name: name, Manifest: manifest}.reach(journal.Ready("proxy"), journal.Start("app"))
	st.Judge = func(ctx context.Context, s *framework.Space) {
		tl := await(ctx, s, s.Config.Intervals.Start.Duration, journal.Start("app").Run(2))
		Expect(tl.Between(journal.End("app").Run(1), journal.Ready("proxy"), journal.Start("app").Run(2))).To(Succeed())
	}
	return st
}
