package e2e

import (
	. "github.com/onsi/ginkgo/v2"

	"sidecar-node/e2e/lifecycle"
)

var _ = Describe("in place", Label("inplace"), func() {
	It("a new image restarts the sidecar alone", func(ctx SpecContext) {
		lifecycle.ImageChangesAlone(ctx, newSpace(ctx), runningNever)
	})
	It("a new image while the app waits makes it wait for the new container", func(ctx SpecContext) {
		lifecycle.ImageChangesWhileHeld(ctx, newSpace(ctx), heldPodNever)
	})
	It("a new image while the pod stops restarts nothing", func(ctx SpecContext) {
		lifecycle.ImageChangesWhileStopping(ctx, newSpace(ctx), `
apiVersion: v1
kind: Pod
metadata: {name: pod}
spec:
  containers:
  - name: app
    args: ["--on-term=delay:4s"]
  - name: proxy
    lifecycle: {type: Sidecar}
`)
	})
	It("an image that arrives late holds up the app, and no other sidecar", func(ctx SpecContext) {
		lifecycle.ImageArrivesLate(ctx, newSpace(ctx), `
apiVersion: v1
kind: Pod
metadata: {name: pod}
spec:
  containers:
  - name: app
  - name: late
    image: %s
    imagePullPolicy: IfNotPresent
    lifecycle: {type: Sidecar}
  - name: quick
    readinessProbe: {exec: {command: [/probe, ready]}, periodSeconds: 1}
    lifecycle: {type: Sidecar}
`)
	})
	It("a resize of the sidecar restarts nothing", func(ctx SpecContext) {
		lifecycle.IsResized(ctx, newSpace(ctx), `
apiVersion: v1
kind: Pod
metadata: {name: pod}
spec:
  containers:
  - name: app
    resources: {requests: {cpu: 10m}}
  - name: proxy
    resources: {requests: {cpu: 10m}}
    lifecycle: {type: Sidecar}
`)
	})
	It("an ephemeral container neither opens the gate nor keeps a Job alive", func(ctx SpecContext) {
		lifecycle.DebuggerChangesNothing(ctx, newSpace(ctx), `
apiVersion: batch/v1
kind: Job
metadata: {name: job}
spec:
  template:
    spec:
      restartPolicy: Never
      terminationGracePeriodSeconds: 5
      containers:
      - name: app
        args: [--exit-after=1s]
      - name: proxy
        args: [--ready-when=/journal/open]
        readinessProbe: {exec: {command: [/probe, ready]}, periodSeconds: 1}
        lifecycle: {type: Sidecar}
`)
	})
	It("a rule that restarts all containers closes the gate again", func(ctx SpecContext) {
		lifecycle.RestartsAll(ctx, newSpace(ctx), `
apiVersion: v1
kind: Pod
metadata: {name: pod}
spec:
  restartPolicy: Never
  containers:
  - name: app
    args: ["--exit-after=1s,never", --exit-code=42]
    restartPolicy: Never
    restartPolicyRules:
    - {action: RestartAllContainers, exitCodes: {operator: In, values: [42]}}
  - name: proxy
    args: [--ready-after=1s]
    readinessProbe: {exec: {command: [/probe, ready]}, periodSeconds: 1}
    lifecycle: {type: Sidecar}
`)
	})
	It("the OOM killer finds a sidecar no more attractive than its app", func(ctx SpecContext) {
		lifecycle.SidecarIsNoEarlierVictim(ctx, newSpace(ctx), `
apiVersion: v1
kind: Pod
metadata: {name: pod}
spec:
  containers:
  - name: app
    resources: {requests: {memory: 256Mi}}
  - name: proxy
    resources: {requests: {memory: 1Mi}}
    lifecycle: {type: Sidecar}
`)
	})
	It("a static pod starts and stops in order", func(ctx SpecContext) {
		lifecycle.StaticPodKeepsOrder(ctx, newSpace(ctx), `
apiVersion: v1
kind: Pod
metadata: {name: pod}
spec:
  containers:
  - name: app
    args: ["--on-term=delay:1s"]
  - name: proxy
    args: [--ready-after=1s]
    readinessProbe: {exec: {command: [/probe, ready]}, periodSeconds: 1}
    lifecycle: {type: Sidecar}
`)
	})
})

// runningNever is a pod whose policy would forbid the restart of an ordinary
// container.
const runningNever = `
apiVersion: v1
kind: Pod
metadata: {name: pod}
spec:
  restartPolicy: Never
  terminationGracePeriodSeconds: 5
  containers:
  - name: app
  - name: proxy
    lifecycle: {type: Sidecar}
`
