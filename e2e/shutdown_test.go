package e2e

import (
	"time"

	. "github.com/onsi/ginkgo/v2"

	"sidecar-node/e2e/journal"
	"sidecar-node/e2e/lifecycle"
)

var _ = Describe("shutdown order", Label("shutdown"), func() {
	It("stops the app first, and the sidecar's preStop and TERM come once, at their turn", Label("order"), func(ctx SpecContext) {
		lifecycle.StopsInOrder(ctx, newSpace(ctx), lifecycle.Shutdown{
			Running: []journal.Point{journal.Ready("app"), journal.Ready("proxy")},
			Judge: []lifecycle.Judge{
				lifecycle.HookRunsOnce("app", "preStop"),
				lifecycle.Before(journal.HookEnd("app", "preStop"), journal.Term("app")),
				lifecycle.ExitsBeforeStopOf("app", "proxy"),
				lifecycle.HookRunsOnce("proxy", "preStop"),
				lifecycle.Before(journal.HookEnd("proxy", "preStop"), journal.Term("proxy")),
				lifecycle.ExitsWith("app", 0), lifecycle.ExitsWith("proxy", 0),
				lifecycle.Runs("app", 1), lifecycle.Runs("proxy", 1),
			}, Manifest: `
apiVersion: v1
kind: Pod
metadata: {name: pod}
spec:
  terminationGracePeriodSeconds: 60
  containers:
  - name: app
    args: ["--on-term=delay:2s"]
    lifecycle:
      preStop: {exec: {command: [/probe, hook, preStop, --takes=1s]}}
  - name: proxy
    lifecycle:
      type: Sidecar
      preStop: {exec: {command: [/probe, hook, preStop, --takes=1s]}}
`})
	})

	It("answers every call of an app that needs 5 s to stop", Label("order"), func(ctx SpecContext) {
		lifecycle.StopsInOrder(ctx, newSpace(ctx), lifecycle.Shutdown{
			Running: []journal.Point{journal.Ready("app")},
			Judge: []lifecycle.Judge{
				lifecycle.EveryCallSucceeds("app"),
				lifecycle.CallsWhileStopping("app"),
				lifecycle.ExitsWith("app", 0),
				lifecycle.ExitsBeforeStopOf("app", "proxy"),
			}, Manifest: `
apiVersion: v1
kind: Pod
metadata: {name: pod}
spec:
  containers:
  - name: app
    args: ["--call=http://127.0.0.1:8080/", --call-every=50ms, "--on-term=delay:5s"]
  - name: proxy
    args: ["--serve=:8080", --ready-after=1s]
    readinessProbe: {httpGet: {path: /ready, port: 8080}, periodSeconds: 1}
    lifecycle: {type: Sidecar}
`})
	})

	It("stops native sidecars last, in reverse order", Label("order"), func(ctx SpecContext) {
		lifecycle.StopsInOrder(ctx, newSpace(ctx), lifecycle.Shutdown{
			Running: []journal.Point{journal.Ready("app"), journal.Ready("proxy")},
			Judge: []lifecycle.Judge{
				lifecycle.ExitsBeforeStopOf("app", "proxy"),
				lifecycle.ExitsBeforeStopOf("proxy", "native-2"),
				lifecycle.ExitsBeforeStopOf("native-2", "native-1"),
			}, Manifest: `
apiVersion: v1
kind: Pod
metadata: {name: pod}
spec:
  initContainers:
  - name: native-1
    restartPolicy: Always
  - name: native-2
    restartPolicy: Always
    args: ["--on-term=delay:500ms"]
  containers:
  - name: app
    args: ["--on-term=delay:1s"]
  - name: proxy
    args: ["--on-term=delay:1s"]
    lifecycle: {type: Sidecar}
`})
	})

	It("stops several apps together, then several sidecars together", Label("order"), func(ctx SpecContext) {
		var judges []lifecycle.Judge
		for _, app := range []string{"app-1", "app-2"} {
			for _, sidecar := range []string{"proxy-1", "proxy-2"} {
				judges = append(judges, lifecycle.ExitsBeforeStopOf(app, sidecar))
			}
		}
		lifecycle.StopsInOrder(ctx, newSpace(ctx), lifecycle.Shutdown{
			Running: []journal.Point{journal.Ready("app-1"), journal.Ready("app-2"), journal.Ready("proxy-1"), journal.Ready("proxy-2")},
			Judge: append(judges,
				lifecycle.Before(journal.Term("app-1"), journal.End("app-2")),
				lifecycle.Before(journal.Term("app-2"), journal.End("app-1")),
				lifecycle.Before(journal.Term("proxy-1"), journal.End("proxy-2")),
				lifecycle.Before(journal.Term("proxy-2"), journal.End("proxy-1")),
			), Manifest: `
apiVersion: v1
kind: Pod
metadata: {name: pod}
spec:
  containers:
  - name: proxy-1
    args: ["--on-term=delay:4s"]
    lifecycle: {type: Sidecar}
  - name: app-1
    args: ["--on-term=delay:4s"]
  - name: app-2
    args: ["--on-term=delay:4s"]
  - name: proxy-2
    args: ["--on-term=delay:4s"]
    lifecycle: {type: Sidecar}
`})
	})

	// The apps' share of the grace period is all of it; when they have used it
	// up, a sidecar still gets two seconds. The bounds are the contract's plus
	// what the runtime needs; the grace period is so long that two of them are
	// over the bound.
	Describe("has one budget", func() {
		const grace = 10 * time.Second
		const minimum = 2 * time.Second

		It("when app and sidecar are deaf", Label("order"), func(ctx SpecContext) {
			overhead := cluster.Config.Intervals.KillOverhead.Duration
			lifecycle.StopsInOrder(ctx, newSpace(ctx), lifecycle.Shutdown{
				Running: []journal.Point{journal.Ready("app"), journal.Ready("proxy")},
				Judge: []lifecycle.Judge{
					lifecycle.WasKilled("app"), lifecycle.WasKilled("proxy"),
					lifecycle.ExitsBeforeStopOf("app", "proxy"),
					lifecycle.Within(journal.Term("app"), journal.End("proxy"), grace+minimum+overhead),
				}, Manifest: `
apiVersion: v1
kind: Pod
metadata: {name: pod}
spec:
  terminationGracePeriodSeconds: 10
  containers:
  - name: app
    args: [--on-term=ignore]
  - name: proxy
    args: [--on-term=ignore]
    lifecycle: {type: Sidecar}
`})
		})

		It("when the hooks of both hang", func(ctx SpecContext) {
			overhead := cluster.Config.Intervals.KillOverhead.Duration
			lifecycle.StopsInOrder(ctx, newSpace(ctx), lifecycle.Shutdown{
				Running: []journal.Point{journal.Ready("app"), journal.Ready("proxy")},
				// The hook of the app uses up the budget. Both are given the
				// minimum then, at the same time, so that nothing is said of
				// their order.
				Judge: []lifecycle.Judge{
					lifecycle.Within(journal.Hook("app", "preStop"), journal.End("app"), grace+minimum+overhead),
					lifecycle.Within(journal.Hook("app", "preStop"), journal.End("proxy"), grace+minimum+overhead),
				}, Manifest: `
apiVersion: v1
kind: Pod
metadata: {name: pod}
spec:
  terminationGracePeriodSeconds: 10
  containers:
  - name: app
    args: [--on-term=ignore]
    lifecycle:
      preStop: {exec: {command: [/probe, hook, preStop, --takes=10m]}}
  - name: proxy
    args: [--on-term=ignore]
    lifecycle:
      type: Sidecar
      preStop: {exec: {command: [/probe, hook, preStop, --takes=10m]}}
`})
		})

		It("and leaves what the apps did not use to the sidecar", Label("order"), func(ctx SpecContext) {
			lifecycle.StopsInOrder(ctx, newSpace(ctx), lifecycle.Shutdown{
				Running: []journal.Point{journal.Ready("app"), journal.Ready("proxy")},
				Judge: []lifecycle.Judge{
					lifecycle.ExitsBeforeStopOf("app", "proxy"),
					// Longer than the two seconds that are its minimum.
					lifecycle.ExitsWith("proxy", 0),
				}, Manifest: `
apiVersion: v1
kind: Pod
metadata: {name: pod}
spec:
  terminationGracePeriodSeconds: 20
  containers:
  - name: app
    args: ["--on-term=delay:1s"]
  - name: proxy
    args: ["--on-term=delay:6s"]
    lifecycle: {type: Sidecar}
`})
		})
	})
})
