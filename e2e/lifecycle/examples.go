package lifecycle

import (
	"context"

	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"

	"sidecar-node/e2e/framework"
	"sidecar-node/e2e/journal"
)

// JobExample is a manifest with a Job, or a CronJob to be run once.
type JobExample struct {
	Manifest string
	// CronJob is the name of the CronJob; the Job is made from it. Otherwise Job
	// is the name of the Job.
	CronJob, Job string
	App, Sidecar string
	// Restarts is how often the app fails and is restarted.
	Restarts int32
	// OwnJournal says that the example keeps a journal to itself, out of reach, or
	// none.
	OwnJournal bool
}

// JobExampleCompletes runs the example to its end.
func JobExampleCompletes(ctx context.Context, s *framework.Space, in JobExample) {
	apply(ctx, s, in.Manifest)
	if in.CronJob != "" {
		in.Job = "once"
		Expect(s.RunCronJob(ctx, in.CronJob, in.Job)).To(Succeed())
	}
	_, err := s.AwaitJob(ctx, in.Job, s.Config.Intervals.Start.Duration+s.Config.Intervals.Job.Duration, batchv1.JobComplete)
	Expect(err).To(Succeed())
	pods, err := s.Pods(ctx, "job-name="+in.Job)
	Expect(err).To(Succeed())
	Expect(pods).To(HaveLen(1))
	Expect(pods[0].Status.Phase).To(Equal(corev1.PodSucceeded))
	// A runtime that fails to start a container makes the kubelet try again.
	Expect(framework.Container(&pods[0], in.App).RestartCount).To(BeNumerically(">=", in.Restarts))
	Expect(framework.Container(&pods[0], in.Sidecar).RestartCount).To(BeZero())
	if in.OwnJournal {
		return
	}
	tl, err := s.Journal(ctx)
	Expect(err).To(Succeed())
	Expect(tl.StartsBefore(in.Sidecar, in.App)).To(Succeed())
	Expect(tl.ExitsBeforeStopOf(in.App, in.Sidecar)).To(Succeed())
}

// Rollout is a Deployment whose app calls its sidecar all the time.
type Rollout struct {
	Manifest   string
	Deployment string
	// Label selects the pods.
	Label string
	// App calls its sidecar. A Sidecar without a name is one that keeps no journal;
	// then only the calls tell whether it is there.
	App, Sidecar string
	Replicas     int
}

// RolloutLosesNoCall replaces all pods of the Deployment, and wants each of the
// old ones to have stopped in order and without a failed call.
func RolloutLosesNoCall(ctx context.Context, s *framework.Space, in Rollout) {
	apply(ctx, s, in.Manifest)
	limit := s.Config.Intervals.Start.Duration
	old, err := s.AwaitReadyPods(ctx, in.Label, in.Replicas, limit)
	Expect(err).To(Succeed())
	Expect(s.RestartDeployment(ctx, in.Deployment)).To(Succeed())
	for _, name := range old {
		Expect(s.AwaitPodGone(ctx, name, 2*limit)).To(Succeed())
	}
	fresh, err := s.AwaitReadyPods(ctx, in.Label, in.Replicas, limit)
	Expect(err).To(Succeed())
	tl, err := s.Journal(ctx)
	Expect(err).To(Succeed())
	for _, name := range append(old, fresh...) {
		pod := tl.Pod(name)
		if in.Sidecar != "" {
			Expect(pod.ReadyBefore(in.Sidecar, in.App)).To(Succeed(), "pod %s", name)
		}
		Expect(pod.Count(journal.Start(in.App))).To(Equal(1), "%s", pod)
	}
	for _, name := range old {
		pod := tl.Pod(name)
		if in.Sidecar != "" {
			Expect(pod.ExitsBeforeStopOf(in.App, in.Sidecar)).To(Succeed(), "pod %s", name)
		}
		Expect(pod.EveryCallSucceeds(in.App)).To(Succeed(), "pod %s", name)
		Expect(pod.CallsWhileStopping(in.App)).To(Succeed(), "pod %s", name)
	}
}
