package e2e

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/types"

	"sidecar-node/e2e/framework"
	"sidecar-node/e2e/lifecycle"
)

var _ = Describe("API", Label("api"), func() {
	DescribeTable("refuses", func(ctx SpecContext, manifest string, texts ...string) {
		lifecycle.IsRefused(ctx, newSpace(ctx), manifest, texts...)
	},
		Entry("an unknown type, and lists the known ones", `
apiVersion: v1
kind: Pod
metadata: {name: pod}
spec:
  containers:
  - name: app
  - name: proxy
    lifecycle: {type: Foo}
`, "spec.containers[1].lifecycle.type", "Unsupported value", `"Foo"`, `"Sidecar"`, `"Standard"`),
		Entry("a pod of sidecars only, and says so", `
apiVersion: v1
kind: Pod
metadata: {name: pod}
spec:
  containers:
  - name: proxy
    lifecycle: {type: Sidecar}
`, "is invalid", "spec.containers", "sidecar"),
		Entry("a template of sidecars only", `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - name: proxy
        lifecycle: {type: Sidecar}
`, "is invalid", "spec.template.spec.containers", "sidecar"),
		Entry("the type on an init container, and names what to use there", `
apiVersion: v1
kind: Pod
metadata: {name: pod}
spec:
  initContainers:
  - name: native
    lifecycle: {type: Sidecar}
  containers:
  - name: app
`, "spec.initContainers[0].lifecycle.type", "Forbidden", "restartPolicy", "Always"),
		Entry("a sidecar that is not to be restarted", `
apiVersion: v1
kind: Pod
metadata: {name: pod}
spec:
  containers:
  - name: app
  - name: proxy
    restartPolicy: Never
    lifecycle: {type: Sidecar}
`, "spec.containers[1].restartPolicy"),
	)

	It("keeps the type, writes no default, and takes no change of it", func(ctx SpecContext) {
		s := newSpace(ctx)
		Expect(s.Apply(ctx, `
apiVersion: v1
kind: Pod
metadata: {name: pod}
spec:
  containers:
  - name: plain
  - name: app
    lifecycle: {type: Standard}
  - name: proxy
    lifecycle: {type: Sidecar}
`)).To(Succeed())
		Expect(s.Warnings()).To(BeEmpty())
		pod, err := s.Get(ctx, framework.PodResource, "pod")
		Expect(err).To(Succeed())
		Expect(lifecycle.LifecycleType(pod, "proxy")).To(Equal("Sidecar"))
		Expect(lifecycle.LifecycleType(pod, "app")).To(Equal("Standard"))
		Expect(lifecycle.LifecycleType(pod, "plain")).To(BeEmpty())

		_, err = s.Patch(ctx, framework.PodResource, "pod", types.StrategicMergePatchType,
			[]byte(`{"spec":{"containers":[{"name":"proxy","lifecycle":{"type":"Standard"}}]}}`))
		Expect(err).To(HaveOccurred(), "the API server took a new type for a container of a pod")
		Expect(err.Error()).To(ContainSubstring("spec"))

		pod, err = s.Patch(ctx, framework.PodResource, "pod", types.StrategicMergePatchType,
			[]byte(`{"metadata":{"labels":{"touched":"yes"}}}`))
		Expect(err).To(Succeed())
		Expect(lifecycle.LifecycleType(pod, "proxy")).To(Equal("Sidecar"))
	})

	It("documents the field", func(SpecContext) {
		text, err := cluster.FieldDoc("Lifecycle", "type")
		Expect(err).To(Succeed())
		Expect(text).To(And(ContainSubstring("Sidecar"), ContainSubstring("Standard")))
	})
})
