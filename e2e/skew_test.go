package e2e

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"sidecar-node/e2e/journal"
	"sidecar-node/e2e/lifecycle"
)

// These run in a cluster with three workers, of which the label
// sidecar-node/kubelet says what they are: gate-on, gate-off or stock; see
// examples/kind-mixed-versions.yaml.
var _ = Describe("nodes of different versions", Label("skew"), func() {
	It("have pods with sidecars only where these are known", func(ctx SpecContext) {
		s := newSpace(ctx)
		Expect(s.Apply(ctx, `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 6
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      terminationGracePeriodSeconds: 5
      containers:
      - name: app
      - name: proxy
        readinessProbe: {exec: {command: [/probe, ready]}, periodSeconds: 1}
        lifecycle: {type: Sidecar}
`)).To(Succeed())
		names, err := s.AwaitReadyPods(ctx, "app=web", 6, s.Config.Intervals.Start.Duration)
		Expect(err).To(Succeed())
		tl, err := s.Journal(ctx)
		Expect(err).To(Succeed())
		for _, name := range names {
			pod, err := s.Pod(ctx, name)
			Expect(err).To(Succeed())
			Expect(s.NodeLabel(ctx, pod.Spec.NodeName, "sidecar-node/kubelet")).To(Equal("gate-on"))
			Expect(tl.Pod(name).ReadyBefore("proxy", "app")).To(Succeed())
		}
	})

	for _, kubelet := range []string{"gate-off", "stock"} {
		It("leave a pod that may only go to the node with "+kubelet+" waiting, and say why", func(ctx SpecContext) {
			s := newSpace(ctx)
			Expect(s.Apply(ctx, `
apiVersion: v1
kind: Pod
metadata: {name: pod}
spec:
  nodeSelector: {sidecar-node/kubelet: `+kubelet+`}
  containers:
  - name: app
  - name: proxy
    lifecycle: {type: Sidecar}
`)).To(Succeed())
			lifecycle.IsUnschedulable(ctx, s, "didn't have feature gate SidecarContainers on")
		})
		It("have ordinary pods on the node with "+kubelet, func(ctx SpecContext) {
			s := newSpace(ctx)
			lifecycle.StartsInOrder(ctx, s, lifecycle.Start{App: "app", Until: []journal.Point{journal.End("init")}, Manifest: `
apiVersion: v1
kind: Pod
metadata: {name: pod}
spec:
  nodeSelector: {sidecar-node/kubelet: ` + kubelet + `}
  initContainers:
  - name: init
    args: [--exit-after=100ms]
  containers:
  - name: app
`})
		})
	}

	It("refuse a pod that comes past the scheduler to a node with the gate off", func(ctx SpecContext) {
		s := newSpace(ctx)
		node, err := s.NodeWithLabel(ctx, "sidecar-node/kubelet", "gate-off")
		Expect(err).To(Succeed())
		Expect(s.Apply(ctx, `
apiVersion: v1
kind: Pod
metadata: {name: pod}
spec:
  nodeName: `+node+`
  containers:
  - name: app
  - name: proxy
    lifecycle: {type: Sidecar}
`)).To(Succeed())
		lifecycle.IsRefusedByItsNode(ctx, s, "PodFeatureUnsupported", "SidecarContainers")
	})

	It("refuse a static pod of a node with the gate off", func(ctx SpecContext) {
		s := newSpace(ctx)
		node, err := s.NodeWithLabel(ctx, "sidecar-node/kubelet", "gate-off")
		Expect(err).To(Succeed())
		lifecycle.StaticPodIsRefused(ctx, s, node, `
apiVersion: v1
kind: Pod
metadata: {name: pod}
spec:
  containers:
  - name: app
  - name: proxy
    lifecycle: {type: Sidecar}
`)
	})

	It("have the pods of a DaemonSet where they can run, and let the others wait", func(ctx SpecContext) {
		s := newSpace(ctx)
		Expect(s.Apply(ctx, `
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: agent}
spec:
  selector: {matchLabels: {app: agent}}
  template:
    metadata: {labels: {app: agent}}
    spec:
      terminationGracePeriodSeconds: 5
      containers:
      - name: app
      - name: proxy
        lifecycle: {type: Sidecar}
`)).To(Succeed())
		lifecycle.RunsWhereItCan(ctx, s, "app=agent", map[string]bool{"gate-on": true, "gate-off": false, "stock": false})
	})
})
