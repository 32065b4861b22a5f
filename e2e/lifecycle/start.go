package lifecycle

import (
	"context"
	"fmt"
	"strings"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"

	"sidecar-node/e2e/framework"
	"sidecar-node/e2e/journal"
)

const (
	// WaitingForSidecars is the reason that app containers show while they wait.
	WaitingForSidecars = "WaitingForSidecars"
	// SidecarsReady is the reason of the event that tells when they start.
	SidecarsReady = "SidecarsReady"
)

// Start is a pod named "pod" that starts by itself.
type Start struct {
	Manifest string
	// App is the container that has to wait.
	App string
	// Until has to come before the app starts.
	Until []journal.Point
	Judge []Judge
}

// StartsInOrder creates the pod and judges how it came up.
func StartsInOrder(ctx context.Context, s *framework.Space, in Start) {
	Expect(in.Until).NotTo(BeEmpty(), "a start that waits for nothing proves nothing")
	apply(ctx, s, in.Manifest)
	tl := await(ctx, s, s.Config.Intervals.Start.Duration, journal.Start(in.App))
	for _, p := range in.Until {
		Expect(tl.Before(p, journal.Start(in.App))).To(Succeed())
	}
	Expect(tl.RunsOnce(in.App)).To(Succeed())
	All(tl, in.Judge...)
}

// HeldStart is a pod named "pod" whose sidecars get ready when the spec says so.
type HeldStart struct {
	Manifest string
	App      string
	// Sidecars are all sidecars of the pod.
	Sidecars []string
	// Unready are those that get ready when the file /journal/open exists.
	Unready []string
	// Steps follow when all sidecars have started, and leave the unready ones
	// unready.
	Steps []Step
	Judge []Judge
}

// hold creates the pod and returns when all sidecars run, the unready ones
// hold the gate, and everybody can see that.
func hold(ctx context.Context, s *framework.Space, in HeldStart) {
	apply(ctx, s, in.Manifest)
	var running []journal.Point
	for _, c := range in.Sidecars {
		running = append(running, journal.Start(c))
	}
	await(ctx, s, s.Config.Intervals.Start.Duration, running...)
	walk(ctx, s, in.Steps)
	_, err := s.AwaitPod(ctx, "pod", s.Config.Intervals.Start.Duration, in.App+" to show that it waits for "+strings.Join(in.Unready, ", "), func(pod *corev1.Pod) error {
		if tl, err := s.Journal(ctx); err == nil && tl.NeverStarted(in.App) != nil {
			return nil // judged below
		}
		return waitsFor(pod, in.App, in.Unready)
	})
	tl, jerr := s.Journal(ctx)
	Expect(jerr).To(Succeed())
	Expect(tl.NeverStarted(in.App)).To(Succeed())
	Expect(err).To(Succeed())
	Expect(s.Column(ctx, "pod", "Status")).To(Equal(WaitingForSidecars))
}

// waitsFor fails unless the pod shows that app waits for exactly these sidecars.
func waitsFor(pod *corev1.Pod, app string, sidecars []string) error {
	if pod.Status.Phase != corev1.PodPending {
		return fmt.Errorf("the phase is %s, want %s", pod.Status.Phase, corev1.PodPending)
	}
	status := framework.Container(pod, app)
	switch {
	case status == nil || status.State.Waiting == nil:
		return fmt.Errorf("container %s is not waiting", app)
	case status.State.Waiting.Reason != WaitingForSidecars:
		return fmt.Errorf("container %s waits with reason %q, want %q", app, status.State.Waiting.Reason, WaitingForSidecars)
	}
	for _, c := range pod.Spec.Containers {
		named := strings.Contains(status.State.Waiting.Message, c.Name)
		wanted := false
		for _, w := range sidecars {
			wanted = wanted || w == c.Name
		}
		if named != wanted && c.Name != app {
			return fmt.Errorf("the message %q must name exactly %s", status.State.Waiting.Message, strings.Join(sidecars, ", "))
		}
	}
	return nil
}

// StartsWhenOpened holds the gate, opens it, and wants the app to start at once.
func StartsWhenOpened(ctx context.Context, s *framework.Space, in HeldStart) {
	hold(ctx, s, in)
	Consistently(ctx, func() error {
		tl, err := s.Journal(ctx)
		if err != nil {
			return err
		}
		return tl.NeverStarted(in.App)
	}).WithTimeout(s.Config.Intervals.Settle.Duration).WithPolling(s.Config.Intervals.Poll.Duration).Should(Succeed())

	Expect(s.Touch(ctx, "open")).To(Succeed())
	tl := await(ctx, s, s.Config.Intervals.Start.Duration, journal.Start(in.App))
	for _, c := range in.Unready {
		Expect(tl.ReadyBefore(c, in.App)).To(Succeed())
	}
	for _, c := range in.Sidecars {
		Expect(tl.RunsOnce(c)).To(Succeed())
	}
	last := in.Unready[len(in.Unready)-1]
	Expect(tl.Within(journal.Ready(last), journal.Start(in.App), s.Config.Intervals.Prompt.Duration)).To(Succeed())
	All(tl, in.Judge...)
	Eventually(ctx, s.Events).WithTimeout(s.Config.Intervals.Prompt.Duration).WithPolling(s.Config.Intervals.Poll.Duration).
		Should(ContainElement(ContainSubstring("Pod/pod "+SidecarsReady)), "an event must tell that the gate has opened")
}

// EndsAtOnceWhenDeletedWhileHeld deletes the pod before its gate opens: it must
// go without using up its grace period, and the app must never have run.
func EndsAtOnceWhenDeletedWhileHeld(ctx context.Context, s *framework.Space, in HeldStart) {
	hold(ctx, s, in)
	Expect(s.DeletePod(ctx, "pod", -1)).To(Succeed())
	Expect(s.AwaitPodGone(ctx, "pod", s.Config.Intervals.Prompt.Duration)).To(Succeed())
	// The gate must not open for a pod that is gone.
	Expect(s.Touch(ctx, "open")).To(Succeed())
	tl, err := s.Journal(ctx)
	Expect(err).To(Succeed())
	Expect(tl.NeverStarted(in.App)).To(Succeed())
	for _, c := range in.Sidecars {
		Expect(tl.RunsOnce(c)).To(Succeed())
		Expect(tl.Before(journal.Term(c), journal.End(c))).To(Succeed())
	}
	All(tl, in.Judge...)
}
