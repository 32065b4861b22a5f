package e2e

import (
	"context"
	"fmt"
	"slices"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"sidecar-node/e2e/framework"
	"sidecar-node/e2e/journal"
	"sidecar-node/e2e/lifecycle"
)

// Each of these brings pods to different stages of their life, then does something
// to the node under all of them at once, and then judges them one by one. They need
// a cluster of kind on this machine and have it for themselves.
var _ = Describe("disturbed", Label("disruptive"), Serial, func() {
	disturb("when the kubelet is killed three times", stages, func(ctx context.Context, node *framework.Node, during func()) {
		for range 2 {
			lifecycle.KillKubelet(ctx, node)
		}
		lifecycle.StopKubelet(ctx, node)
		during()
		lifecycle.StartKubelet(ctx, node)
	})

	disturb("when containerd is killed", survivors, func(ctx context.Context, node *framework.Node, during func()) {
		during()
		lifecycle.KillContainerd(ctx, node)
	})

	// A kubelet that sees the containers die one by one may restart some of them in
	// the sandbox that is being stopped; one that is away meanwhile sees the end.
	disturb("when the sandbox is stopped under the pod", restarts, func(ctx context.Context, node *framework.Node, during func()) {
		lifecycle.StopKubelet(ctx, node)
		during()
		lifecycle.StartKubelet(ctx, node)
	})

	disturb("when the node is restarted", reboots, func(ctx context.Context, node *framework.Node, during func()) {
		during()
		Expect(node.Restart(ctx)).To(Succeed())
	})

	It("the feature gate is turned off and on again, and nothing stored is lost", func(ctx SpecContext) {
		nodes, err := cluster.Nodes(ctx)
		Expect(err).To(Succeed())
		Expect(nodes).To(HaveLen(1), "the control plane has to be on the node whose files are changed")
		lifecycle.GateIsToggled(ctx, newSpace(ctx), nodes[0], templates)
	})

	It("the gate opens while the API server is down", func(ctx SpecContext) {
		nodes, err := cluster.Nodes(ctx)
		Expect(err).To(Succeed())
		Expect(nodes).To(HaveLen(1), "the pod has to be on the node whose API server is stopped")
		lifecycle.OpensWithoutAPIServer(ctx, newSpace(ctx), nodes[0], heldPod)
	})
})

// disturb runs the stages under one disturbance. It calls during while the node is
// disturbed.
func disturb(name string, stages []lifecycle.Stage, do func(ctx context.Context, node *framework.Node, during func())) {
	Describe(name, Ordered, ContinueOnFailure, func() {
		spaces := make([]*framework.Space, len(stages))
		failed := make([]bool, len(stages))
		BeforeAll(func(ctx SpecContext) {
			nodes, err := cluster.Nodes(ctx)
			Expect(err).To(Succeed())
			for i, stage := range stages {
				spaces[i] = openSpace(ctx)
				// Each spec saves what belongs to it.
				DeferCleanup(func(ctx SpecContext) error {
					if *keep && failed[i] {
						return nil
					}
					return spaces[i].Close(ctx)
				})
				stage.Begin(ctx, spaces[i])
			}
			for i, stage := range stages {
				stage.Reach(ctx, spaces[i])
			}
			for i, stage := range stages {
				stage.IsThere(ctx, spaces[i])
			}
			for _, node := range nodes {
				do(ctx, node, func() {
					for i, stage := range stages {
						if stage.During != nil {
							stage.During(ctx, spaces[i])
						}
					}
				})
			}
			Expect(cluster.AwaitReady(ctx)).To(Succeed())
		})
		for i, stage := range stages {
			It(stage.Name, func(ctx SpecContext) {
				DeferCleanup(func(ctx SpecContext) error {
					failed[i] = CurrentSpecReport().Failed()
					return save(ctx, spaces[i], failed[i])
				})
				stage.Judge(ctx, spaces[i])
			})
		}
	})
}

// survivors are stages that go on as if nothing had happened when a part of the
// node comes back.
var survivors = []lifecycle.Stage{
	lifecycle.Held("an app that waits for a startup probe starts when the sidecar is ready", `
apiVersion: v1
kind: Pod
metadata: {name: pod}
spec:
  containers:
  - name: app
  - name: proxy
    args: [--ready-when=/journal/open]
    startupProbe: {exec: {command: [/probe, ready]}, periodSeconds: 1, failureThreshold: 600}
    lifecycle: {type: Sidecar}
`),
	lifecycle.Held("an app that waits for a readiness probe starts when the sidecar is ready", `
apiVersion: v1
kind: Pod
metadata: {name: pod}
spec:
  restartPolicy: Never
  containers:
  - name: app
  - name: proxy
    args: [--ready-when=/journal/open]
    readinessProbe: {exec: {command: [/probe, ready]}, periodSeconds: 1}
    lifecycle: {type: Sidecar}
`),
	lifecycle.Steady("running containers go on, and the app is restarted when it crashes", `
apiVersion: v1
kind: Pod
metadata: {name: pod}
spec:
  initContainers:
  - name: native
    restartPolicy: Always
    startupProbe: {exec: {command: [/probe, ready]}, periodSeconds: 1, failureThreshold: 60}
  containers:
  - name: app
    args: ["--exit-when=/journal/crash,", --exit-code=1]
  - name: proxy
    startupProbe: {exec: {command: [/probe, ready]}, periodSeconds: 1, failureThreshold: 60}
    readinessProbe: {exec: {command: [/probe, ready]}, periodSeconds: 1}
    lifecycle: {type: Sidecar}
`, "native", "proxy"),
	lifecycle.Completing("a Job whose app has ended completes", `
apiVersion: batch/v1
kind: Job
metadata: {name: job}
spec:
  template:
    spec:
      restartPolicy: OnFailure
      terminationGracePeriodSeconds: 90
      containers:
      - name: app
        args: [--exit-after=1s]
      - name: proxy
        args: ["--on-term=delay:40s", --term-code=1]
        lifecycle: {type: Sidecar}
`),
	lifecycle.Stopping("a deleted pod stops the sidecar after its app", `
apiVersion: v1
kind: Pod
metadata: {name: pod}
spec:
  terminationGracePeriodSeconds: 90
  containers:
  - name: app
    args: ["--on-term=delay:40s"]
  - name: proxy
    lifecycle: {type: Sidecar}
`, 90*time.Second),
}

// stages are those for a kubelet that is away for a while. Those that wait for
// nobody come last.
var stages = append([]lifecycle.Stage{
	lifecycle.ForceDeleted("a pod that is gone from the API stops in order", `
apiVersion: v1
kind: Pod
metadata: {name: pod}
spec:
  containers:
  - name: app
    args: ["--on-term=delay:500ms"]
  - name: proxy
    lifecycle: {type: Sidecar}
`),
}, append(slices.Clone(survivors),
	lifecycle.InHook("an app that waits for a postStart hook starts when the hook has ended", `
apiVersion: v1
kind: Pod
metadata: {name: pod}
spec:
  containers:
  - name: app
  - name: proxy
    lifecycle:
      type: Sidecar
      postStart: {exec: {command: [/probe, hook, postStart, --takes=25s]}}
`))...)

// runningPod is a pod that starts in order, and once more in a new sandbox.
const runningPod = `
apiVersion: v1
kind: Pod
metadata: {name: pod}
spec:
  restartPolicy: %s
  terminationGracePeriodSeconds: 5
  containers:
  - name: app
  - name: proxy
    args: [--ready-after=1s]
    readinessProbe: {exec: {command: [/probe, ready]}, periodSeconds: 1}
    lifecycle: {type: Sidecar}
`

// restarts lose their sandbox.
var restarts = []lifecycle.Stage{
	stopSandbox(lifecycle.StartsOver("a running pod starts over in order", fmt.Sprintf(runningPod, "Always"))),
	stopSandbox(lifecycle.StartsOver("a running pod starts over in order under OnFailure", fmt.Sprintf(runningPod, "OnFailure"))),
	stopSandbox(lifecycle.Stage{Name: "a pod whose app must not run twice ends", Manifest: fmt.Sprintf(runningPod, "Never"),
		Reach: func(ctx context.Context, s *framework.Space) {
			_, err := s.AwaitPoint(ctx, s.Config.Intervals.Start.Duration, journal.Start("app"))
			Expect(err).To(Succeed())
		},
		Judge: func(ctx context.Context, s *framework.Space) { lifecycle.Fails(ctx, s, "app", "proxy") },
	}),
	stopSandbox(lifecycle.HeldAgain("an app that has not started yet waits in the new sandbox", heldPodNever)),
}

// reboots lose everything that runs.
var reboots = []lifecycle.Stage{
	lifecycle.StartsOver("a running pod starts over in order", fmt.Sprintf(runningPod, "Always")),
	lifecycle.HeldAgain("an app that has not started yet waits in the new sandbox", heldPodNever),
}

// heldPodNever is the case in which nothing may run twice, but the app has not run.
const heldPodNever = `
apiVersion: v1
kind: Pod
metadata: {name: pod}
spec:
  restartPolicy: Never
  containers:
  - name: app
  - name: proxy
    args: [--ready-when=/journal/open]
    readinessProbe: {exec: {command: [/probe, ready]}, periodSeconds: 1}
    lifecycle: {type: Sidecar}
`

// stopSandbox stops the sandbox of the stage's pod.
func stopSandbox(stage lifecycle.Stage) lifecycle.Stage {
	stage.During = func(ctx context.Context, s *framework.Space) {
		nodes, err := cluster.Nodes(ctx)
		Expect(err).To(Succeed())
		lifecycle.StopSandbox(ctx, s, nodes)
	}
	return stage
}
