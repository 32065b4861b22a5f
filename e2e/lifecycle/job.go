package lifecycle

import (
	"context"

	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"

	"sidecar-node/e2e/framework"
	"sidecar-node/e2e/journal"
)

// JobRun is a Job named "job" that makes one pod.
type JobRun struct {
	Manifest string
	// Condition is how the Job ends.
	Condition batchv1.JobConditionType
	// Phase is how its pod ends; empty if the Job removes it.
	Phase    corev1.PodPhase
	App      string
	Sidecars []string
	// Steps follow when the app has started.
	Steps []Step
	Judge []Judge
}

// JobEnds runs the Job to its end and judges the order in which its pod ended.
func JobEnds(ctx context.Context, s *framework.Space, in JobRun) {
	apply(ctx, s, in.Manifest)
	await(ctx, s, s.Config.Intervals.Start.Duration, journal.Start(in.App))
	walk(ctx, s, in.Steps)
	_, err := s.AwaitJob(ctx, "job", s.Config.Intervals.Job.Duration, in.Condition)
	// The journal of this moment: when the end is published, all is over.
	tl, jerr := s.Journal(ctx)
	Expect(jerr).To(Succeed())
	if err != nil {
		Expect(err).To(Succeed(), "%s", tl)
	}
	for _, c := range in.Sidecars {
		Expect(tl.ExitsBeforeStopOf(in.App, c)).To(Succeed())
		Expect(tl.ExitsBefore(in.App, c)).To(Succeed())
	}
	All(tl, in.Judge...)
	if in.Phase == "" {
		return
	}
	pods, err := s.Pods(ctx, "job-name=job")
	Expect(err).To(Succeed())
	Expect(pods).To(HaveLen(1), "%s", tl)
	Expect(pods[0].Status.Phase).To(Equal(in.Phase), "%s", tl)
	status := "Completed"
	if in.Phase == corev1.PodFailed {
		status = "Error"
	}
	Expect(s.Column(ctx, pods[0].Name, "Status")).To(Equal(status), "what kubectl get pod shows comes from the app containers")
	// Nothing starts again after the end.
	Consistently(ctx, func() (int, error) {
		now, err := s.Journal(ctx)
		return len(now.Records()), err
	}).WithTimeout(s.Config.Intervals.Settle.Duration).WithPolling(s.Config.Intervals.Poll.Duration).
		Should(Equal(len(tl.Records())), "nothing may happen after the end")
}
