package e2e

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"sidecar-node/e2e/framework"
	"sidecar-node/e2e/lifecycle"
)

// What ends everything that runs on a node is done to a worker, so that the control
// plane and its clients stay.
var _ = Describe("a worker", Label("skew", "node"), Serial, func() {
	var s *framework.Space
	var node *framework.Node
	BeforeEach(func(ctx SpecContext) {
		s = newSpace(ctx)
		name, err := s.NodeWithLabel(ctx, "sidecar-node/kubelet", "gate-on")
		Expect(err).To(Succeed())
		node = lifecycle.NodeNamed(ctx, s, name)
	})

	It("that is short of memory stops the sidecar after its app", func(ctx SpecContext) {
		lifecycle.IsEvictedSoftly(ctx, s, node, `
apiVersion: v1
kind: Pod
metadata: {name: pod}
spec:
  priorityClassName: %s
  nodeSelector: {sidecar-node/kubelet: gate-on}
  terminationGracePeriodSeconds: 60
  containers:
  - name: app
    args: ["--on-term=delay:3s"]
    # A kubelet that is restarted under memory pressure rejects pods without requests.
    resources: {requests: {memory: 1Mi}}
  - name: proxy
    lifecycle: {type: Sidecar}
`)
	})

	It("that shuts down stops the sidecar after its app", func(ctx SpecContext) {
		lifecycle.StopsWithItsNode(ctx, s, node, `
apiVersion: v1
kind: Pod
metadata: {name: pod}
spec:
  nodeSelector: {sidecar-node/kubelet: gate-on}
  terminationGracePeriodSeconds: 60
  containers:
  - name: app
    args: ["--on-term=delay:3s"]
  - name: proxy
    lifecycle: {type: Sidecar}
`)
	})
})
