package e2e

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"sidecar-node/e2e/framework"
	"sidecar-node/e2e/journal"
	"sidecar-node/e2e/lifecycle"
)

// These run against a cluster whose components have the gate off.
var _ = Describe("with the gate off", Label("gate-off"), func() {
	const pod = `
apiVersion: v1
kind: Pod
metadata: {name: pod}
spec:
  terminationGracePeriodSeconds: 20
  containers:
  - name: app
    args: ["--on-term=delay:5s"]
  - name: proxy
    args: [--ready-after=never]
    readinessProbe: {exec: {command: [/probe, ready]}, periodSeconds: 1}
    lifecycle: {type: Sidecar}
`
	It("the field is dropped, with a warning that names the path and the gate", func(ctx SpecContext) {
		s := newSpace(ctx)
		stored, err := s.DryRun(ctx, pod)
		Expect(err).To(Succeed())
		Expect(lifecycle.LifecycleType(stored, "proxy")).To(BeEmpty())
		Expect(s.Warnings()).To(ContainElement(And(ContainSubstring("spec.containers[1].lifecycle.type"), ContainSubstring("SidecarContainers"))))
	})

	It("the field is dropped from templates likewise", func(ctx SpecContext) {
		s := newSpace(ctx)
		_, err := s.DryRun(ctx, `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - name: app
      - name: proxy
        lifecycle: {type: Sidecar}
`)
		Expect(err).To(Succeed())
		Expect(s.Warnings()).To(ContainElement(And(ContainSubstring("spec.template.spec.containers[1].lifecycle.type"), ContainSubstring("SidecarContainers"))))
	})

	It("all containers start and stop together, as upstream", func(ctx SpecContext) {
		s := newSpace(ctx)
		// That the app starts at all shows that nothing waits for the proxy.
		lifecycle.StopsInOrder(ctx, s, lifecycle.Shutdown{
			Running: []journal.Point{journal.Start("app"), journal.Start("proxy")},
			Judge: []lifecycle.Judge{
				lifecycle.Before(journal.Term("proxy"), journal.End("app")),
			}, Manifest: pod})
	})

	It("a Job does not end with its app, as upstream", func(ctx SpecContext) {
		s := newSpace(ctx)
		Expect(s.Apply(ctx, `
apiVersion: batch/v1
kind: Job
metadata: {name: job}
spec:
  template:
    spec:
      restartPolicy: Never
      containers:
      - name: app
        args: [--exit-after=1s]
      - name: proxy
        lifecycle: {type: Sidecar}
`)).To(Succeed())
		_, err := s.AwaitPoint(ctx, s.Config.Intervals.Start.Duration, journal.End("app"))
		Expect(err).To(Succeed())
		Consistently(ctx, func() error {
			job, err := s.Job(ctx, "job")
			if err != nil {
				return err
			}
			tl, err := s.Journal(ctx)
			if err != nil {
				return err
			}
			Expect(framework.HasCondition(job, "Complete")).To(BeFalse())
			return tl.NeverAskedToStop("proxy")
		}).WithTimeout(2 * s.Config.Intervals.Settle.Duration).WithPolling(s.Config.Intervals.Poll.Duration).Should(Succeed())
	})
})
