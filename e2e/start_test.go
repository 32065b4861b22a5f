package e2e

import (
	"time"

	. "github.com/onsi/ginkgo/v2"

	"sidecar-node/e2e/journal"
	"sidecar-node/e2e/lifecycle"
)

var _ = Describe("start order", Label("start", "order"), func() {
	DescribeTable("the app starts after the sidecar", func(ctx SpecContext, in lifecycle.Start) {
		lifecycle.StartsInOrder(ctx, newSpace(ctx), in)
	},
		Entry("runs, when it has no probe", lifecycle.Start{App: "app", Until: []journal.Point{journal.Start("proxy")}, Manifest: `
apiVersion: v1
kind: Pod
metadata: {name: pod}
spec:
  containers:
  - name: app
  - name: proxy
    lifecycle: {type: Sidecar}
`}),
		Entry("has passed its readiness probe", lifecycle.Start{App: "app", Until: []journal.Point{journal.Ready("proxy")}, Manifest: `
apiVersion: v1
kind: Pod
metadata: {name: pod}
spec:
  containers:
  - name: app
  - name: proxy
    args: ["--serve=:8080", --ready-after=3s]
    readinessProbe: {httpGet: {path: /ready, port: 8080}, periodSeconds: 1}
    lifecycle: {type: Sidecar}
`}),
		Entry("has passed its startup probe", lifecycle.Start{App: "app", Until: []journal.Point{journal.Ready("proxy")}, Manifest: `
apiVersion: v1
kind: Pod
metadata: {name: pod}
spec:
  containers:
  - name: app
  - name: proxy
    args: [--ready-after=3s]
    startupProbe: {exec: {command: [/probe, ready]}, periodSeconds: 1, failureThreshold: 60}
    lifecycle: {type: Sidecar}
`}),
		Entry("has passed both, when startup is the slower one", lifecycle.Start{App: "app", Until: []journal.Point{journal.Ready("proxy")}, Manifest: `
apiVersion: v1
kind: Pod
metadata: {name: pod}
spec:
  containers:
  - name: app
  - name: proxy
    args: ["--serve=:8080", --ready-after=3s]
    startupProbe: {exec: {command: [/probe, ready]}, periodSeconds: 1, failureThreshold: 60}
    readinessProbe: {httpGet: {path: /healthz, port: 8080}, periodSeconds: 1}
    lifecycle: {type: Sidecar}
`}),
		Entry("has finished its postStart hook", lifecycle.Start{App: "app", Until: []journal.Point{journal.Start("proxy"), journal.HookEnd("proxy", "postStart")}, Manifest: `
apiVersion: v1
kind: Pod
metadata: {name: pod}
spec:
  containers:
  - name: app
  - name: proxy
    lifecycle:
      type: Sidecar
      postStart: {exec: {command: [/probe, hook, postStart, --takes=3s]}}
`}),
		Entry("has crashed before and got ready then", lifecycle.Start{App: "app",
			Until: []journal.Point{journal.End("proxy").Run(1), journal.Ready("proxy").Run(2)},
			Judge: []lifecycle.Judge{lifecycle.Runs("proxy", 2)}, Manifest: `
apiVersion: v1
kind: Pod
metadata: {name: pod}
spec:
  restartPolicy: Never
  containers:
  - name: app
  - name: proxy
    args: ["--exit-after=1s,never", --exit-code=1, "--ready-after=never,1s"]
    readinessProbe: {exec: {command: [/probe, ready]}, periodSeconds: 1}
    lifecycle: {type: Sidecar}
`}),
		// The back-off is long enough for every probe worker to see the dead container.
		Entry("has crashed twice and got ready after the back-off", lifecycle.Start{App: "app",
			Until: []journal.Point{journal.End("proxy").Run(2), journal.Ready("proxy").Run(3)},
			Judge: []lifecycle.Judge{lifecycle.Runs("proxy", 3)}, Manifest: `
apiVersion: v1
kind: Pod
metadata: {name: pod}
spec:
  restartPolicy: Never
  containers:
  - name: app
  - name: proxy
    args: ["--exit-after=1s,1s,never", --exit-code=1, "--ready-after=never,never,1s"]
    readinessProbe: {exec: {command: [/probe, ready]}, periodSeconds: 1}
    lifecycle: {type: Sidecar}
`}),
		Entry("in whatever order the list has them", lifecycle.Start{App: "app", Until: []journal.Point{journal.Ready("proxy")}, Manifest: `
apiVersion: v1
kind: Pod
metadata: {name: pod}
spec:
  containers:
  - name: proxy
    args: [--ready-after=2s]
    readinessProbe: {exec: {command: [/probe, ready]}, periodSeconds: 1}
    lifecycle: {type: Sidecar}
  - name: app
    lifecycle: {type: Standard}
`}),
		Entry("after init containers and native sidecars", lifecycle.Start{App: "app",
			Until: []journal.Point{journal.End("init"), journal.Ready("native"), journal.Ready("proxy")},
			Judge: []lifecycle.Judge{
				lifecycle.Before(journal.End("init"), journal.Start("native")),
				lifecycle.Before(journal.Ready("native"), journal.Start("proxy")),
			}, Manifest: `
apiVersion: v1
kind: Pod
metadata: {name: pod}
spec:
  initContainers:
  - name: init
    args: [--exit-after=500ms]
  - name: native
    restartPolicy: Always
    args: [--ready-after=1s]
    startupProbe: {exec: {command: [/probe, ready]}, periodSeconds: 1, failureThreshold: 60}
  containers:
  - name: app
  - name: proxy
    args: [--ready-after=1s]
    readinessProbe: {exec: {command: [/probe, ready]}, periodSeconds: 1}
    lifecycle: {type: Sidecar}
`}),
		Entry("in a pod of a Deployment", lifecycle.Start{App: "app", Until: []journal.Point{journal.Ready("proxy")}, Manifest: `
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
        args: [--ready-after=2s]
        readinessProbe: {exec: {command: [/probe, ready]}, periodSeconds: 1}
        lifecycle: {type: Sidecar}
`}),
	)

	DescribeTable("the app waits, visibly, until it is opened for", func(ctx SpecContext, in lifecycle.HeldStart) {
		lifecycle.StartsWhenOpened(ctx, newSpace(ctx), in)
	},
		Entry("one sidecar with a readiness probe", lifecycle.HeldStart{App: "app", Sidecars: []string{"proxy"}, Unready: []string{"proxy"}, Manifest: heldPod}),
		Entry("a sidecar that has started up but is not ready", lifecycle.HeldStart{App: "app", Sidecars: []string{"proxy"}, Unready: []string{"proxy"}, Manifest: `
apiVersion: v1
kind: Pod
metadata: {name: pod}
spec:
  containers:
  - name: app
  - name: proxy
    args: ["--serve=:8080", --ready-when=/journal/open]
    startupProbe: {httpGet: {path: /healthz, port: 8080}, periodSeconds: 1}
    readinessProbe: {httpGet: {path: /ready, port: 8080}, periodSeconds: 1}
    lifecycle: {type: Sidecar}
`}),
		Entry("the slower of two sidecars, which start together", lifecycle.HeldStart{App: "app",
			Sidecars: []string{"quick", "slow"}, Unready: []string{"slow"},
			// That both run although none is ready shows that neither waits for the
			// other.
			Steps: []lifecycle.Step{lifecycle.Until("quick", journal.Ready("quick"))},
			Judge: []lifecycle.Judge{
				lifecycle.Before(journal.Start("slow"), journal.Ready("quick")),
				lifecycle.Before(journal.Start("quick"), journal.Ready("slow")),
			}, Manifest: `
apiVersion: v1
kind: Pod
metadata: {name: pod}
spec:
  containers:
  - name: quick
    args: [--ready-when=/journal/quick]
    readinessProbe: {exec: {command: [/probe, ready]}, periodSeconds: 1}
    lifecycle: {type: Sidecar}
  - name: app
  - name: slow
    args: [--ready-when=/journal/open]
    readinessProbe: {exec: {command: [/probe, ready]}, periodSeconds: 1}
    lifecycle: {type: Sidecar}
`}),
	)

	// The bound is half the period: without the early probes the first one to succeed
	// would come when a whole period is over.
	It("does not leave the app waiting for the period of a probe", func(ctx SpecContext) {
		lifecycle.StartsInOrder(ctx, newSpace(ctx), lifecycle.Start{App: "app", Until: []journal.Point{journal.Ready("proxy")},
			Judge: []lifecycle.Judge{lifecycle.Within(journal.Ready("proxy"), journal.Start("app"), 10*time.Second)}, Manifest: `
apiVersion: v1
kind: Pod
metadata: {name: pod}
spec:
  containers:
  - name: app
  - name: proxy
    args: [--ready-after=500ms]
    startupProbe: {exec: {command: [/probe, ready]}, periodSeconds: 20, failureThreshold: 10}
    lifecycle: {type: Sidecar}
`})
	})

	It("ends at once when it is deleted while the app waits", func(ctx SpecContext) {
		lifecycle.EndsAtOnceWhenDeletedWhileHeld(ctx, newSpace(ctx), lifecycle.HeldStart{
			App: "app", Sidecars: []string{"proxy"}, Unready: []string{"proxy"}, Manifest: heldPod,
		})
	})
})

// heldPod waits for /journal/open. Its grace period is far above everything
// that may be called prompt.
const heldPod = `
apiVersion: v1
kind: Pod
metadata: {name: pod}
spec:
  terminationGracePeriodSeconds: 120
  containers:
  - name: app
  - name: proxy
    args: [--ready-when=/journal/open]
    readinessProbe: {exec: {command: [/probe, ready]}, periodSeconds: 1}
    lifecycle: {type: Sidecar}
`
