package e2e

import (
	. "github.com/onsi/ginkgo/v2"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"

	"sidecar-node/e2e/journal"
	"sidecar-node/e2e/lifecycle"
)

var _ = Describe("restart", Label("restart", "order"), func() {
	It("brings a crashed app back at once although the sidecar is unready", func(ctx SpecContext) {
		lifecycle.AppRestartsPastAnUnreadySidecar(ctx, newSpace(ctx), lifecycle.AppCrash{App: "app", Sidecar: "proxy", Manifest: `
apiVersion: v1
kind: Pod
metadata: {name: pod}
spec:
  containers:
  - name: app
    args: ["--exit-when=/journal/crash,", --exit-code=1]
  - name: proxy
    args: [--ready-when=/journal/open]
    readinessProbe: {exec: {command: [/probe, ready]}, periodSeconds: 1, failureThreshold: 1}
    lifecycle: {type: Sidecar}
`})
	})

	It("brings a crashed app back although a sidecar is being restarted and its hook runs", func(ctx SpecContext) {
		lifecycle.AppRestartsDuringAHook(ctx, newSpace(ctx), lifecycle.AppCrash{App: "app", Sidecar: "proxy", Manifest: `
apiVersion: v1
kind: Pod
metadata: {name: pod}
spec:
  containers:
  - name: app
    args: ["--exit-when=/journal/crash,", --exit-code=1]
  - name: proxy
    args: ["--exit-when=/journal/crash-sidecar,", --exit-code=1]
    lifecycle:
      type: Sidecar
      postStart: {exec: {command: [/probe, hook, postStart, --takes=20s]}}
`})
	})

	It("brings a crashed sidecar back under Never while the app runs, and neither the app nor the phase notices", func(ctx SpecContext) {
		lifecycle.JobEnds(ctx, newSpace(ctx), lifecycle.JobRun{
			Condition: batchv1.JobComplete, Phase: corev1.PodSucceeded, App: "app", Sidecars: []string{"proxy"}, Steps: crashOfSidecar,
			Judge: []lifecycle.Judge{
				lifecycle.Runs("app", 1), lifecycle.Runs("proxy", 2),
				lifecycle.Before(journal.Start("app"), journal.End("proxy").Run(1)),
				lifecycle.Before(journal.Start("proxy").Run(2), journal.End("app")),
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
      - name: app
        args: [--exit-when=/journal/done]
      - name: proxy
        args: ["--exit-when=/journal/crash,", --exit-code=1]
        lifecycle: {type: Sidecar}
`})
	})

	It("brings back a sidecar that runs out of memory", func(ctx SpecContext) {
		lifecycle.JobEnds(ctx, newSpace(ctx), lifecycle.JobRun{
			Condition: batchv1.JobComplete, Phase: corev1.PodSucceeded, App: "app", Sidecars: []string{"proxy"}, Steps: crashOfSidecar,
			Judge: []lifecycle.Judge{
				lifecycle.Runs("app", 1), lifecycle.Runs("proxy", 2),
				lifecycle.Before(journal.Killed("proxy").Run(1), journal.Start("proxy").Run(2)),
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
      - name: app
        args: [--exit-when=/journal/done]
      - name: proxy
        args: ["--eat-memory-when=/journal/crash,"]
        resources: {limits: {memory: 48Mi}}
        lifecycle: {type: Sidecar}
`})
	})

	It("brings back a sidecar that fails its liveness probe, under Never", func(ctx SpecContext) {
		lifecycle.SidecarFailsLiveness(ctx, newSpace(ctx), lifecycle.AppCrash{App: "app", Sidecar: "proxy", Manifest: `
apiVersion: v1
kind: Pod
metadata: {name: pod}
spec:
  restartPolicy: Never
  containers:
  - name: app
    args: [--exit-when=/journal/done]
  - name: proxy
    args: [--ready-when=/journal/open]
    startupProbe: {exec: {command: [/probe, ready]}, periodSeconds: 1, failureThreshold: 600}
    livenessProbe: {exec: {command: [/probe, ready]}, periodSeconds: 1, failureThreshold: 1}
    lifecycle: {type: Sidecar}
`})
	})

	It("does not count a sidecar's restarts against backoffLimit under OnFailure", func(ctx SpecContext) {
		lifecycle.JobEnds(ctx, newSpace(ctx), lifecycle.JobRun{
			Condition: batchv1.JobComplete, Phase: corev1.PodSucceeded, App: "app", Sidecars: []string{"proxy"}, Steps: crashOfSidecar,
			Judge: []lifecycle.Judge{lifecycle.Runs("app", 1), lifecycle.Runs("proxy", 2)}, Manifest: `
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
        args: [--exit-when=/journal/done]
      - name: proxy
        args: ["--exit-when=/journal/crash,", --exit-code=1]
        lifecycle: {type: Sidecar}
`})
	})
})

var backAgain = journal.Start("proxy").Run(2)

// crashOfSidecar has the proxy crash while the app runs, and ends the app when
// the proxy is back and the API shows it.
var crashOfSidecar = []lifecycle.Step{
	{Touch: "crash", Await: &backAgain, Restarted: "proxy"},
	{Touch: "done"},
}
