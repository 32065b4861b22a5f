package lifecycle

import (
	"context"
	"fmt"
	"time"

	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"sidecar-node/e2e/framework"
	"sidecar-node/e2e/journal"
)

// JobPods is a Job named "job" that ends by itself, whose pods have the containers
// app and proxy.
type JobPods struct {
	Manifest string
	// Condition is how the Job ends, and Reason why; an empty reason may be any.
	Condition batchv1.JobConditionType
	Reason    string
	// Pods is how many pods come to their end, and Failed how many of them fail.
	Pods, Failed int
	// Removed says that the Job deletes its pods.
	Removed bool
}

// JobPodsEndInOrder runs the Job to its end and wants each of its pods to have stopped
// in order, with nothing restarted.
func JobPodsEndInOrder(ctx context.Context, s *framework.Space, in JobPods) {
	apply(ctx, s, in.Manifest)
	job, err := s.AwaitJob(ctx, "job", s.Config.Intervals.Start.Duration+s.Config.Intervals.Job.Duration, in.Condition)
	Expect(err).To(Succeed())
	if in.Reason != "" {
		for _, c := range job.Status.Conditions {
			if c.Type == in.Condition {
				Expect(c.Reason).To(Equal(in.Reason), c.Message)
			}
		}
	}
	tl, err := s.Journal(ctx)
	Expect(err).To(Succeed())
	Expect(tl.Pods()).To(HaveLen(in.Pods))
	for _, name := range tl.Pods() {
		pod := tl.Pod(name)
		Expect(pod.RunsOnce("app")).To(Succeed())
		Expect(pod.RunsOnce("proxy")).To(Succeed())
		Expect(pod.ExitsBeforeStopOf("app", "proxy")).To(Succeed())
	}
	if in.Removed {
		return
	}
	pods, err := s.Pods(ctx, "job-name=job")
	Expect(err).To(Succeed())
	failed := 0
	for _, pod := range pods {
		if pod.Status.Phase == corev1.PodFailed {
			failed++
		}
	}
	Expect(failed).To(Equal(in.Failed))
}

// JobIsSuspended suspends a running Job, wants its pod to stop in order, and resumes
// it: the next pod ends when /journal/done exists.
func JobIsSuspended(ctx context.Context, s *framework.Space, manifest string) {
	apply(ctx, s, manifest)
	limit := s.Config.Intervals.Start.Duration
	await(ctx, s, limit, journal.Ready("app"), journal.Ready("proxy"))
	suspend := func(yes bool) {
		_, err := s.Patch(ctx, framework.JobResource, "job", types.MergePatchType, fmt.Appendf(nil, `{"spec":{"suspend":%v}}`, yes))
		ExpectWithOffset(1, err).To(Succeed())
	}
	suspend(true)
	tl := await(ctx, s, s.Config.Intervals.Stop.Duration, journal.End("app"), journal.End("proxy"))
	Expect(tl.ExitsBeforeStopOf("app", "proxy")).To(Succeed())
	first := tl.Pods()
	Expect(first).To(HaveLen(1))
	Expect(s.AwaitPodGone(ctx, first[0], s.Config.Intervals.Stop.Duration)).To(Succeed())
	Expect(s.Touch(ctx, "done")).To(Succeed())
	suspend(false)
	_, err := s.AwaitJob(ctx, "job", limit+s.Config.Intervals.Job.Duration, batchv1.JobComplete)
	Expect(err).To(Succeed())
	tl, err = s.Journal(ctx)
	Expect(err).To(Succeed())
	Expect(tl.Pods()).To(HaveLen(2))
	for _, name := range tl.Pods() {
		Expect(tl.Pod(name).ExitsBeforeStopOf("app", "proxy")).To(Succeed())
	}
}

// CronJobRuns waits for the first pod of a CronJob, with the label made-by=cron, which
// is made at the next full minute, and wants it to succeed in order.
func CronJobRuns(ctx context.Context, s *framework.Space, manifest string) {
	apply(ctx, s, manifest)
	Eventually(ctx, func() error {
		pods, err := s.Pods(ctx, "made-by=cron")
		if err != nil {
			return err
		}
		if len(pods) == 0 || pods[0].Status.Phase != corev1.PodSucceeded {
			return fmt.Errorf("no pod has succeeded yet")
		}
		return nil
	}).WithTimeout(time.Minute + s.Config.Intervals.Start.Duration).WithPolling(s.Config.Intervals.Poll.Duration).Should(Succeed())
	tl, err := s.Journal(ctx)
	Expect(err).To(Succeed())
	first := tl.Pod(tl.Pods()[0])
	Expect(first.RunsOnce("app")).To(Succeed())
	Expect(first.RunsOnce("proxy")).To(Succeed())
	Expect(first.ExitsBeforeStopOf("app", "proxy")).To(Succeed())
}

// QuotaCountsSidecars wants a pod to be refused because of what its sidecar requests.
func QuotaCountsSidecars(ctx context.Context, s *framework.Space) {
	Expect(s.ApplyAsIs(ctx, `
apiVersion: v1
kind: ResourceQuota
metadata: {name: small}
spec: {hard: {requests.cpu: 100m}}
`)).To(Succeed())
	pod := func(proxy string) string {
		return `
apiVersion: v1
kind: Pod
metadata: {name: pod}
spec:
  containers:
  - name: app
    resources: {requests: {cpu: 50m}}
  - name: proxy
    resources: {requests: {cpu: ` + proxy + `}}
    lifecycle: {type: Sidecar}
`
	}
	// The quota's controller has to look at it first.
	Eventually(ctx, func() (string, error) {
		quota, err := s.Get(ctx, schema.GroupVersionResource{Version: "v1", Resource: "resourcequotas"}, "small")
		if err != nil {
			return "", err
		}
		hard, _, err := unstructured.NestedString(quota.Object, "status", "hard", "requests.cpu")
		return hard, err
	}).WithTimeout(s.Config.Intervals.Prompt.Duration).WithPolling(s.Config.Intervals.Poll.Duration).Should(Equal("100m"))
	_, err := s.DryRun(ctx, pod("50m"))
	Expect(err).To(Succeed())
	IsRefused(ctx, s, pod("60m"), "exceeded quota", "requests.cpu=110m")
}

// PodSecurityHoldsSidecars wants a privileged sidecar to be refused where the
// standard is baseline.
func PodSecurityHoldsSidecars(ctx context.Context, s *framework.Space) {
	Expect(s.LabelNamespace(ctx, "pod-security.kubernetes.io/enforce", "baseline")).To(Succeed())
	const manifest = `
apiVersion: v1
kind: Pod
metadata: {name: pod}
spec:
  containers:
  - {name: app, image: i}
  - name: proxy
    image: i
    lifecycle: {type: Sidecar}
    securityContext: {privileged: %s}
`
	Expect(s.ApplyAsIs(ctx, fmt.Sprintf(manifest, "false"))).To(Succeed())
	Expect(s.DeletePod(ctx, "pod", 0)).To(Succeed())
	Expect(s.AwaitPodGone(ctx, "pod", s.Config.Intervals.Prompt.Duration)).To(Succeed())
	err := s.ApplyAsIs(ctx, fmt.Sprintf(manifest, "true"))
	Expect(err).To(HaveOccurred())
	Expect(err.Error()).To(And(ContainSubstring("violates PodSecurity"), ContainSubstring(`"proxy"`)))
}
