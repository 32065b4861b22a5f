package e2e

import (
	"context"
	"fmt"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"sidecar-node/e2e/framework"
	"sidecar-node/e2e/journal"
	"sidecar-node/e2e/lifecycle"
)

var _ = Describe("whoever ends the pod, the sidecar stops last", Label("shutdown", "order"), func() {
	const pod = `
apiVersion: v1
kind: Pod
metadata: {name: pod}
spec:
  terminationGracePeriodSeconds: 60
  containers:
  - name: app
    args: ["--on-term=delay:1s"]
  - name: proxy
    args: ["--on-term=delay:500ms"]
    lifecycle: {type: Sidecar}
`
	DescribeTable("and is asked once", func(ctx SpecContext, in lifecycle.Ended) {
		lifecycle.EndsInOrder(ctx, newSpace(ctx), in)
	},
		Entry("a deletion", lifecycle.Ended{Manifest: pod, End: lifecycle.Delete(-1)}),
		Entry("a deletion with a grace period of its own", lifecycle.Ended{
			Manifest: strings.Replace(pod, "delay:1s", "ignore", 1), End: lifecycle.Delete(3 * time.Second),
			Judge: []lifecycle.Judge{
				lifecycle.WasKilled("app"),
				func(t journal.Timeline) error {
					return t.Within(journal.Term("app"), journal.End("proxy"), 5*time.Second+cluster.Config.Intervals.KillOverhead.Duration)
				},
			},
		}),
		Entry("an eviction by the API", lifecycle.Ended{Manifest: pod, End: lifecycle.Evict}),
		Entry("its deadline", lifecycle.Ended{
			Manifest: strings.Replace(pod, "spec:\n", "spec:\n  activeDeadlineSeconds: 25\n", 1), Reason: "DeadlineExceeded",
		}),
	)

	It("when it is preempted", func(ctx SpecContext) {
		s := newSpace(ctx)
		slot := "example.com/" + s.Namespace
		DeferCleanup(func(ctx SpecContext) error { return s.WithdrawResource(ctx, slot) })
		Expect(s.OfferResource(ctx, slot)).To(Succeed())
		resources := fmt.Sprintf("\n    resources: {limits: {%s: \"1\"}}", slot)
		lifecycle.EndsInOrder(ctx, s, lifecycle.Ended{
			Manifest: strings.Replace(pod, "  - name: app", "  - name: app"+resources, 1),
			End: lifecycle.Preempt(strings.NewReplacer("name: pod", "name: important", "spec:\n", "spec:\n  priorityClassName: system-node-critical\n",
				"  - name: app", "  - name: app"+resources).Replace(pod)),
		})
	})

	It("when it uses more disk than it may", Label("node"), func(ctx SpecContext) {
		lifecycle.EndsInOrder(ctx, newSpace(ctx), lifecycle.Ended{Reason: "Evicted", Manifest: `
apiVersion: v1
kind: Pod
metadata: {name: pod}
spec:
  terminationGracePeriodSeconds: 60
  volumes:
  - {name: scratch, emptyDir: {sizeLimit: 1Mi}}
  containers:
  - name: app
    # The kubelet grants one second.
    args: ["--on-term=delay:300ms"]
    volumeMounts: [{name: scratch, mountPath: /scratch}]
  - name: proxy
    lifecycle: {type: Sidecar}
`, End: func(ctx context.Context, s *framework.Space) error { return lifecycle.FillVolume(ctx, s, "scratch", 8) }})
	})
})

var _ = Describe("many pods at a time", Label("job", "order"), func() {
	const pods = 24
	for _, policy := range []string{"Never", "OnFailure"} {
		It("end in order and restart nothing under "+policy, func(ctx SpecContext) {
			lifecycle.ManyJobs(ctx, newSpace(ctx), fmt.Sprintf(`
apiVersion: batch/v1
kind: Job
metadata: {name: job}
spec:
  completions: %d
  parallelism: 6
  template:
    spec:
      restartPolicy: %s
      terminationGracePeriodSeconds: 3
      containers:
      - name: failing
        args: [--term-code=1]
        lifecycle: {type: Sidecar}
      - name: app
        args: [--exit-after=500ms]
      - name: slow
        args: ["--on-term=delay:2s"]
        lifecycle: {type: Sidecar}
      - name: deaf
        args: [--on-term=ignore]
        lifecycle: {type: Sidecar}
`, pods, policy), pods, func(t journal.Timeline) error {
				if err := t.RunsOnce("app"); err != nil {
					return err
				}
				for _, c := range []string{"failing", "slow", "deaf"} {
					if err := t.RunsOnce(c); err != nil {
						return err
					}
					if err := t.ExitsBeforeStopOf("app", c); err != nil {
						return err
					}
				}
				return t.WasKilled("deaf")
			})
		})
	}
})

var _ = Describe("metrics of the kubelet", Label("start"), func() {
	It("tell of gates and of restarts", func(ctx SpecContext) {
		s := newSpace(ctx)
		lifecycle.SidecarMetrics(ctx, s, func() {
			lifecycle.StartsInOrder(ctx, s, lifecycle.Start{App: "app", Until: []journal.Point{journal.Start("proxy").Run(2)}, Manifest: `
apiVersion: v1
kind: Pod
metadata: {name: pod}
spec:
  containers:
  - name: app
  - name: proxy
    args: ["--exit-after=1s,never", "--ready-after=never,500ms"]
    readinessProbe: {exec: {command: [/probe, ready]}, periodSeconds: 1}
    lifecycle: {type: Sidecar}
`})
		})
	})
})
