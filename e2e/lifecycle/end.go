package lifecycle

import (
	"context"
	"fmt"
	"time"

	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"

	"sidecar-node/e2e/framework"
	"sidecar-node/e2e/journal"
)

// StoppingSidecars is the reason of the event that tells that the sidecars are
// stopped.
const StoppingSidecars = "StoppingSidecars"

// Ended is a pod named "pod" that somebody ends while it runs.
type Ended struct {
	Manifest string
	// End ends it; nil if it ends by itself.
	End func(context.Context, *framework.Space) error
	// Reason is what the status of the pod says of its end; empty if the pod is
	// gone from the API then.
	Reason string
	Judge  []Judge
}

// EndsInOrder runs the pod, ends it, and wants the sidecar to be stopped after the
// app.
func EndsInOrder(ctx context.Context, s *framework.Space, in Ended) {
	apply(ctx, s, in.Manifest)
	await(ctx, s, s.Config.Intervals.Start.Duration, journal.Ready("app"), journal.Ready("proxy"))
	if in.End != nil {
		Expect(in.End(ctx, s)).To(Succeed())
	}
	all := await(ctx, s, s.Config.Intervals.Stop.Duration, journal.End("app"), journal.End("proxy"))
	tl := all.Pod("pod")
	if in.Reason == "" {
		Expect(s.AwaitPodGone(ctx, "pod", s.Config.Intervals.Stop.Duration)).To(Succeed())
	} else {
		pod, err := s.AwaitPhase(ctx, "pod", s.Config.Intervals.Stop.Duration, corev1.PodFailed)
		Expect(err).To(Succeed())
		Expect(pod.Status.Reason).To(Equal(in.Reason))
	}
	Expect(tl.ExitsBeforeStopOf("app", "proxy")).To(Succeed())
	Expect(tl.RunsOnce("app")).To(Succeed())
	Expect(tl.RunsOnce("proxy")).To(Succeed())
	Expect(tl.Count(journal.Term("proxy"))).To(Equal(1), "%s", tl)
	All(tl, in.Judge...)
	Eventually(ctx, s.Events).WithTimeout(s.Config.Intervals.Prompt.Duration).WithPolling(s.Config.Intervals.Poll.Duration).
		Should(ContainElement(ContainSubstring("Pod/pod "+StoppingSidecars)), "an event must tell that the sidecars are stopped")
}

// Delete deletes the pod, with its own grace period if grace is negative.
func Delete(grace time.Duration) func(context.Context, *framework.Space) error {
	return func(ctx context.Context, s *framework.Space) error { return s.DeletePod(ctx, "pod", grace) }
}

// Evict evicts the pod by the API.
func Evict(ctx context.Context, s *framework.Space) error { return s.EvictPod(ctx, "pod") }

// Preempt makes room for a pod of higher priority on the node of the pod.
func Preempt(manifest string) func(context.Context, *framework.Space) error {
	return func(ctx context.Context, s *framework.Space) error { return s.Apply(ctx, manifest) }
}

// ManyJobs runs a Job named "job" with many pods at a time, and judges each of them.
func ManyJobs(ctx context.Context, s *framework.Space, manifest string, pods int, judge func(journal.Timeline) error) {
	apply(ctx, s, manifest)
	limit := s.Config.Intervals.Job.Duration + time.Duration(pods)*s.Config.Intervals.KillOverhead.Duration
	_, err := s.AwaitJob(ctx, "job", limit, batchv1.JobComplete)
	Expect(err).To(Succeed())
	tl, err := s.Journal(ctx)
	Expect(err).To(Succeed())
	Expect(tl.Pods()).To(HaveLen(pods), "every pod must succeed at its first try")
	for _, name := range tl.Pods() {
		Expect(judge(tl.Pod(name))).To(Succeed())
	}
	all, err := s.Pods(ctx, "job-name=job")
	Expect(err).To(Succeed())
	for _, pod := range all {
		Expect(pod.Status.Phase).To(Equal(corev1.PodSucceeded), "pod %s", pod.Name)
		for _, c := range pod.Status.ContainerStatuses {
			Expect(c.RestartCount).To(BeZero(), "container %s of pod %s", c.Name, pod.Name)
			Expect(c.State.Terminated).NotTo(BeNil(), "container %s of pod %s", c.Name, pod.Name)
		}
	}
}

// SidecarMetrics wants the kubelets to count a gate that opens and a sidecar that is
// restarted while do runs.
func SidecarMetrics(ctx context.Context, s *framework.Space, do func()) {
	metrics := []string{"kubelet_sidecar_gate_duration_seconds_count", "kubelet_sidecar_restarts_total"}
	before := map[string]float64{}
	for _, metric := range metrics {
		value, err := s.KubeletMetric(ctx, metric)
		Expect(err).To(Succeed())
		before[metric] = value
	}
	do()
	for _, metric := range metrics {
		Eventually(ctx, func() (float64, error) { return s.KubeletMetric(ctx, metric) }).
			WithTimeout(s.Config.Intervals.Prompt.Duration).WithPolling(s.Config.Intervals.Poll.Duration).
			Should(BeNumerically(">", before[metric]), metric)
	}
}

// FillVolume makes the emptyDir of the pod named "pod" hold that many MiB.
func FillVolume(ctx context.Context, s *framework.Space, volume string, size int) error {
	pod, err := s.Pod(ctx, "pod")
	if err != nil {
		return err
	}
	nodes, err := s.Nodes(ctx)
	if err != nil {
		return err
	}
	for _, node := range nodes {
		if node.Name == pod.Spec.NodeName {
			_, err := node.Shell(ctx, fmt.Sprintf("dd if=/dev/zero of=/var/lib/kubelet/pods/%s/volumes/kubernetes.io~empty-dir/%s/full bs=1M count=%d", pod.UID, volume, size))
			return err
		}
	}
	return fmt.Errorf("pod %s is on no node of ours: %s", pod.Name, pod.Spec.NodeName)
}
