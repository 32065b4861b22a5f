package e2e

import (
	. "github.com/onsi/ginkgo/v2"

	"sidecar-node/e2e/lifecycle"
)

var _ = Describe("kubectl", Label("kubectl"), func() {
	It("explains the field", func(ctx SpecContext) {
		lifecycle.KubectlExplains(ctx, newSpace(ctx), *kubectl)
	})
	It("shows what an apply would change", func(ctx SpecContext) {
		lifecycle.KubectlDiffs(ctx, newSpace(ctx), *kubectl, deployment)
	})
	It("describes the type, and takes the app by default though it is not the first", func(ctx SpecContext) {
		lifecycle.KubectlKnowsTheApp(ctx, newSpace(ctx), *kubectl, `
apiVersion: v1
kind: Pod
metadata: {name: pod}
spec:
  terminationGracePeriodSeconds: 5
  containers:
  - name: proxy
    lifecycle: {type: Sidecar}
  - name: app
`)
	})
})
