package e2e

import (
	"maps"
	"slices"

	. "github.com/onsi/ginkgo/v2"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"sidecar-node/e2e/lifecycle"
)

// templates are all kinds with a pod template. None of them makes a pod here.
var templates = map[string]lifecycle.Template{
	"a PodTemplate": {Resource: resource("", "v1", "podtemplates"), Path: []string{"template", "spec"}, Manifest: `
apiVersion: v1
kind: PodTemplate
metadata: {name: it}
template:
  metadata: {labels: {app: it}}
  spec: {containers: %s}
`},
	"a ReplicationController": {Resource: resource("", "v1", "replicationcontrollers"), Path: specTemplate, Manifest: `
apiVersion: v1
kind: ReplicationController
metadata: {name: it}
spec:
  replicas: 0
  template:
    metadata: {labels: {app: it}}
    spec: {containers: %s}
`},
	"a Deployment": deployment,
	"a ReplicaSet": {Resource: resource("apps", "v1", "replicasets"), Path: specTemplate, Manifest: `
apiVersion: apps/v1
kind: ReplicaSet
metadata: {name: it}
spec:
  replicas: 0
  selector: {matchLabels: {app: it}}
  template:
    metadata: {labels: {app: it}}
    spec: {containers: %s}
`},
	"a StatefulSet": {Resource: resource("apps", "v1", "statefulsets"), Path: specTemplate, Manifest: `
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: it}
spec:
  replicas: 0
  selector: {matchLabels: {app: it}}
  template:
    metadata: {labels: {app: it}}
    spec: {containers: %s}
`},
	"a DaemonSet": {Resource: resource("apps", "v1", "daemonsets"), Path: specTemplate, Manifest: `
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: it}
spec:
  selector: {matchLabels: {app: it}}
  template:
    metadata: {labels: {app: it}}
    spec: {nodeSelector: {no: node}, containers: %s}
`},
	"a Job": {Resource: resource("batch", "v1", "jobs"), Path: specTemplate, Fixed: true, Manifest: `
apiVersion: batch/v1
kind: Job
metadata: {name: it}
spec:
  suspend: true
  template:
    spec: {restartPolicy: Never, containers: %s}
`},
	"a CronJob": {Resource: resource("batch", "v1", "cronjobs"), Path: []string{"spec", "jobTemplate", "spec", "template", "spec"}, Manifest: `
apiVersion: batch/v1
kind: CronJob
metadata: {name: it}
spec:
  suspend: true
  schedule: "0 0 1 1 *"
  jobTemplate:
    spec:
      template:
        spec: {restartPolicy: Never, containers: %s}
`},
}

var specTemplate = []string{"spec", "template", "spec"}

var deployment = lifecycle.Template{Resource: resource("apps", "v1", "deployments"), Path: specTemplate, Manifest: `
apiVersion: apps/v1
kind: Deployment
metadata: {name: it}
spec:
  replicas: 0
  selector: {matchLabels: {app: it}}
  template:
    metadata: {labels: {app: it}}
    spec: {containers: %s}
`}

func resource(group, version, name string) schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: group, Version: version, Resource: name}
}

var _ = Describe("the template of", Label("api"), func() {
	// All processes of Ginkgo have to see the specs in the same order.
	for _, name := range slices.Sorted(maps.Keys(templates)) {
		template := templates[name]
		It(name+" is judged by the same rules", func(ctx SpecContext) {
			lifecycle.TemplateRules(ctx, newSpace(ctx), template)
		})
		It(name+" keeps the type and changes it by every kind of patch", func(ctx SpecContext) {
			lifecycle.TemplatePatches(ctx, newSpace(ctx), template)
		})
	}
})

var _ = Describe("a client that does not know the field", Label("api"), func() {
	It("reads and patches without loss, and replaces with a warning", func(ctx SpecContext) {
		lifecycle.StockClient(ctx, newSpace(ctx), deployment, false)
	})
	It("does so in protobuf, too", func(ctx SpecContext) {
		lifecycle.StockClient(ctx, newSpace(ctx), deployment, true)
	})
})
