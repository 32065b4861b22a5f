package e2e

import (
	"strings"

	. "github.com/onsi/ginkgo/v2"
	batchv1 "k8s.io/api/batch/v1"

	"sidecar-node/e2e/lifecycle"
)

// What a Job can be told works with sidecars as without them. %s stands for the
// arguments of the app.
var _ = Describe("a Job with sidecars", Label("job", "order"), func() {
	const containers = `
      terminationGracePeriodSeconds: 10
      containers:
      - name: app
        args: [%s]
      - name: proxy
        args: [--term-code=1]
        lifecycle: {type: Sidecar}
`
	with := func(spec, args string) string {
		return strings.TrimRight(spec, "\n") + strings.Replace(containers, "%s", args, 1)
	}

	It("completes every index", func(ctx SpecContext) {
		lifecycle.JobPodsEndInOrder(ctx, newSpace(ctx), lifecycle.JobPods{
			Condition: batchv1.JobComplete, Pods: 4, Manifest: with(`
apiVersion: batch/v1
kind: Job
metadata: {name: job}
spec:
  completionMode: Indexed
  completions: 4
  parallelism: 2
  backoffLimit: 0
  template:
    spec:
      restartPolicy: Never
`, "--exit-after=500ms")})
	})
	It("fails each index for good after retries of its own", func(ctx SpecContext) {
		lifecycle.JobPodsEndInOrder(ctx, newSpace(ctx), lifecycle.JobPods{
			Condition: batchv1.JobFailed, Pods: 4, Failed: 4, Reason: "FailedIndexes", Manifest: with(`
apiVersion: batch/v1
kind: Job
metadata: {name: job}
spec:
  completionMode: Indexed
  completions: 2
  parallelism: 2
  backoffLimitPerIndex: 1
  template:
    spec:
      restartPolicy: Never
`, "--exit-after=500ms, --exit-code=3")})
	})
	It("succeeds early by its success policy", func(ctx SpecContext) {
		lifecycle.JobPodsEndInOrder(ctx, newSpace(ctx), lifecycle.JobPods{
			Condition: batchv1.JobComplete, Pods: 1, Manifest: with(`
apiVersion: batch/v1
kind: Job
metadata: {name: job}
spec:
  completionMode: Indexed
  completions: 5
  parallelism: 1
  successPolicy: {rules: [{succeededCount: 1}]}
  template:
    spec:
      restartPolicy: Never
`, "--exit-after=500ms")})
	})
	It("fails at its deadline, and stops in order", func(ctx SpecContext) {
		lifecycle.JobPodsEndInOrder(ctx, newSpace(ctx), lifecycle.JobPods{
			Condition: batchv1.JobFailed, Pods: 1, Removed: true, Manifest: with(`
apiVersion: batch/v1
kind: Job
metadata: {name: job}
spec:
  activeDeadlineSeconds: 25
  template:
    spec:
      restartPolicy: Never
`, `"--on-term=delay:1s"`)})
	})
	It("is made by a CronJob at its time, and completes", func(ctx SpecContext) {
		lifecycle.CronJobRuns(ctx, newSpace(ctx), `
apiVersion: batch/v1
kind: CronJob
metadata: {name: cron}
spec:
  schedule: "* * * * *"
  concurrencyPolicy: Forbid
  jobTemplate:
    spec:
      backoffLimit: 0
      template:
        metadata: {labels: {made-by: cron}}
        spec:
          restartPolicy: Never
          containers:
          - name: app
            args: [--exit-after=1s]
          - name: proxy
            args: [--term-code=1]
            lifecycle: {type: Sidecar}
`)
	})
	It("is suspended in order, and completes when it is resumed", func(ctx SpecContext) {
		lifecycle.JobIsSuspended(ctx, newSpace(ctx), with(`
apiVersion: batch/v1
kind: Job
metadata: {name: job}
spec:
  template:
    spec:
      restartPolicy: Never
`, `--exit-when=/journal/done, "--on-term=delay:1s"`))
	})
	It("ignores exit codes of sidecars in its pod failure policy", func(ctx SpecContext) {
		lifecycle.JobPodsEndInOrder(ctx, newSpace(ctx), lifecycle.JobPods{
			// One retry: code 3 of the app is in no rule, code 1 of the proxy would be.
			Condition: batchv1.JobFailed, Pods: 2, Failed: 2, Reason: "BackoffLimitExceeded", Manifest: with(`
apiVersion: batch/v1
kind: Job
metadata: {name: job}
spec:
  backoffLimit: 1
  podFailurePolicy:
    rules:
    - {action: FailJob, onExitCodes: {operator: In, values: [1]}}
  template:
    spec:
      restartPolicy: Never
`, "--exit-after=500ms, --exit-code=3")})
	})
	It("obeys a rule of its pod failure policy that names the sidecar", func(ctx SpecContext) {
		lifecycle.JobPodsEndInOrder(ctx, newSpace(ctx), lifecycle.JobPods{
			Condition: batchv1.JobFailed, Pods: 1, Failed: 1, Reason: "PodFailurePolicy", Manifest: with(`
apiVersion: batch/v1
kind: Job
metadata: {name: job}
spec:
  backoffLimit: 3
  podFailurePolicy:
    rules:
    - {action: FailJob, onExitCodes: {containerName: proxy, operator: In, values: [1]}}
  template:
    spec:
      restartPolicy: Never
`, "--exit-after=500ms, --exit-code=3")})
	})
})

var _ = Describe("what limits a pod", Label("api"), func() {
	It("counts the requests of sidecars against a quota", func(ctx SpecContext) {
		lifecycle.QuotaCountsSidecars(ctx, newSpace(ctx))
	})
	It("holds sidecars to the pod security standard of the namespace", func(ctx SpecContext) {
		lifecycle.PodSecurityHoldsSidecars(ctx, newSpace(ctx))
	})
})
