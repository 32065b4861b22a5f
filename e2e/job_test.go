package e2e

import (
	"fmt"
	"time"

	. "github.com/onsi/ginkgo/v2"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"

	"sidecar-node/e2e/journal"
	"sidecar-node/e2e/lifecycle"
)

var _ = Describe("a Job ends with its app", Label("job", "order"), func() {
	DescribeTable("whatever the sidecar does", func(ctx SpecContext, policy string, app, proxy string, in lifecycle.JobRun) {
		in.App, in.Sidecars = "app", []string{"proxy"}
		in.Manifest = fmt.Sprintf(`
apiVersion: batch/v1
kind: Job
metadata: {name: job}
spec:
  backoffLimit: 0
  template:
    spec:
      restartPolicy: %s
      terminationGracePeriodSeconds: 20
      containers:
      - name: app
        args: [%s]
      - name: proxy
        args: [%s]
        lifecycle: {type: Sidecar}
`, policy, app, proxy)
		lifecycle.JobEnds(ctx, newSpace(ctx), in)
	},
		Entry("Never, success, the sidecar ends with 0", "Never", "--exit-after=1s", "--term-code=0",
			succeeds(lifecycle.Runs("app", 1), lifecycle.Runs("proxy", 1), lifecycle.ExitsWith("proxy", 0))),
		Entry("Never, success, the sidecar ends with 143", "Never", "--exit-after=1s", "--term-code=143",
			succeeds(lifecycle.Runs("proxy", 1), lifecycle.ExitsWith("proxy", 143))),
		Entry("Never, success, the sidecar fails when it stops", "Never", "--exit-after=1s", "--on-term=delay:1s, --term-code=1",
			succeeds(lifecycle.Runs("proxy", 1), lifecycle.ExitsWith("proxy", 1))),
		Entry("Never, failure, the sidecar ends with 0", "Never", "--exit-after=1s, --exit-code=3", "--term-code=0",
			fails(lifecycle.Runs("app", 1), lifecycle.Runs("proxy", 1), lifecycle.ExitsWith("app", 3), lifecycle.ExitsWith("proxy", 0))),
		Entry("OnFailure, success, the sidecar ends with 0", "OnFailure", "--exit-after=1s", "--term-code=0",
			succeeds(lifecycle.Runs("app", 1), lifecycle.Runs("proxy", 1))),
		Entry("OnFailure, success, the sidecar fails when it stops", "OnFailure", "--exit-after=1s", "--term-code=1",
			succeeds(lifecycle.Runs("app", 1), lifecycle.Runs("proxy", 1), lifecycle.ExitsWith("proxy", 1))),
	)

	It("kills a deaf sidecar when the grace period is over, and completes", func(ctx SpecContext) {
		lifecycle.JobEnds(ctx, newSpace(ctx), lifecycle.JobRun{
			Condition: batchv1.JobComplete, Phase: corev1.PodSucceeded, App: "app", Sidecars: []string{"deaf"},
			Judge: []lifecycle.Judge{
				lifecycle.Runs("deaf", 1), lifecycle.WasKilled("deaf"),
				lifecycle.Within(journal.Term("deaf"), journal.End("deaf"), 3*time.Second+cluster.Config.Intervals.KillOverhead.Duration),
			}, Manifest: `
apiVersion: batch/v1
kind: Job
metadata: {name: job}
spec:
  backoffLimit: 0
  template:
    spec:
      restartPolicy: Never
      terminationGracePeriodSeconds: 3
      containers:
      - name: app
        args: [--exit-after=1s]
      - name: deaf
        args: [--on-term=ignore]
        lifecycle: {type: Sidecar}
`})
	})

	It("keeps the same sidecar through the retries of OnFailure", func(ctx SpecContext) {
		lifecycle.JobEnds(ctx, newSpace(ctx), lifecycle.JobRun{
			Condition: batchv1.JobComplete, Phase: corev1.PodSucceeded, App: "app", Sidecars: []string{"proxy"},
			Judge: []lifecycle.Judge{
				lifecycle.Runs("app", 2), lifecycle.Runs("proxy", 1),
				lifecycle.EveryCallSucceeds("app"),
			}, Manifest: `
apiVersion: batch/v1
kind: Job
metadata: {name: job}
spec:
  backoffLimit: 3
  template:
    spec:
      restartPolicy: OnFailure
      containers:
      - name: app
        args: ["--call=http://127.0.0.1:8080/", --exit-after=1s, "--exit-code=1,0"]
      - name: proxy
        args: ["--serve=:8080", --ready-after=1s]
        readinessProbe: {httpGet: {path: /ready, port: 8080}, periodSeconds: 1}
        lifecycle: {type: Sidecar}
`})
	})

	It("fails under OnFailure when the app has used up its retries", func(ctx SpecContext) {
		lifecycle.JobEnds(ctx, newSpace(ctx), lifecycle.JobRun{
			Condition: batchv1.JobFailed, App: "app", Sidecars: []string{"proxy"},
			Judge: []lifecycle.Judge{lifecycle.Runs("proxy", 1)}, Manifest: `
apiVersion: batch/v1
kind: Job
metadata: {name: job}
spec:
  backoffLimit: 0
  template:
    spec:
      restartPolicy: OnFailure
      containers:
      - name: app
        args: [--exit-after=1s, --exit-code=1, "--on-term=delay:1s"]
      - name: proxy
        lifecycle: {type: Sidecar}
`})
	})

	It("waits for all app containers, and one sidecar's end brings back no sibling", func(ctx SpecContext) {
		lifecycle.JobEnds(ctx, newSpace(ctx), lifecycle.JobRun{
			Condition: batchv1.JobComplete, Phase: corev1.PodSucceeded, App: "long", Sidecars: []string{"quick", "slow"},
			Judge: []lifecycle.Judge{
				lifecycle.ExitsBeforeStopOf("short", "quick"), lifecycle.ExitsBeforeStopOf("short", "slow"),
				lifecycle.Runs("short", 1), lifecycle.Runs("long", 1), lifecycle.Runs("quick", 1), lifecycle.Runs("slow", 1),
				// They stop side by side.
				lifecycle.Before(journal.Term("slow"), journal.End("slow")),
				lifecycle.Before(journal.Term("quick"), journal.End("slow")),
				lifecycle.HookRunsOnce("slow", "preStop"),
				lifecycle.Before(journal.HookEnd("slow", "preStop"), journal.Term("slow")),
			}, Manifest: `
apiVersion: batch/v1
kind: Job
metadata: {name: job}
spec:
  backoffLimit: 0
  template:
    spec:
      restartPolicy: Never
      containers:
      - name: quick
        lifecycle: {type: Sidecar}
      - name: short
        args: [--exit-after=1s]
      - name: long
        args: [--exit-after=3s]
      - name: slow
        args: ["--on-term=delay:2s"]
        lifecycle:
          type: Sidecar
          preStop: {exec: {command: [/probe, hook, preStop, --takes=500ms]}}
`})
	})

	It("ends although native sidecars keep the pod running", func(ctx SpecContext) {
		lifecycle.JobEnds(ctx, newSpace(ctx), lifecycle.JobRun{
			Condition: batchv1.JobComplete, Phase: corev1.PodSucceeded, App: "app", Sidecars: []string{"proxy"},
			Judge: []lifecycle.Judge{
				lifecycle.Runs("app", 1), lifecycle.Runs("proxy", 1), lifecycle.Runs("native", 1),
				lifecycle.ExitsBeforeStopOf("proxy", "native"),
			}, Manifest: `
apiVersion: batch/v1
kind: Job
metadata: {name: job}
spec:
  backoffLimit: 0
  template:
    spec:
      restartPolicy: OnFailure
      initContainers:
      - name: native
        restartPolicy: Always
        args: [--term-code=1]
      containers:
      - name: app
        args: [--exit-after=1s]
      - name: proxy
        args: ["--on-term=delay:1s", --term-code=1]
        lifecycle: {type: Sidecar}
`})
	})
})

func succeeds(judges ...lifecycle.Judge) lifecycle.JobRun {
	return lifecycle.JobRun{Condition: batchv1.JobComplete, Phase: corev1.PodSucceeded, Judge: judges}
}

func fails(judges ...lifecycle.Judge) lifecycle.JobRun {
	return lifecycle.JobRun{Condition: batchv1.JobFailed, Phase: corev1.PodFailed, Judge: judges}
}
