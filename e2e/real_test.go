package e2e

import (
	"fmt"

	. "github.com/onsi/ginkgo/v2"

	"sidecar-node/e2e/lifecycle"
)

// These run programs that know nothing of this repository, from an image that is not
// in the node image; docs/testing.md says how it gets to the nodes.
var _ = Describe("a real sidecar", Label("real"), func() {
	It("that takes all calls of the app lets none fail, from the first to the last", func(ctx SpecContext) {
		s := newSpace(ctx)
		lifecycle.RealProgramsAreThere(ctx, s)
		lifecycle.RolloutLosesNoCall(ctx, s, lifecycle.Rollout{
			Manifest: example("real/egress-proxy.yaml"), Deployment: "shop", Label: "app=shop", App: "app", Replicas: 1,
		})
	})

	It("that ships the log of a Job delivers the last line", func(ctx SpecContext) {
		s := newSpace(ctx)
		lifecycle.RealProgramsAreThere(ctx, s)
		lifecycle.JobExampleCompletes(ctx, s, lifecycle.JobExample{
			Manifest: example("real/log-shipper.yaml"), Job: "report", App: "report", Sidecar: "shipper", OwnJournal: true,
		})
		var lines []string
		for row := 1; row <= 2000; row++ {
			lines = append(lines, fmt.Sprint("row ", row))
		}
		lifecycle.LogIsDelivered(ctx, s, lifecycle.Delivery{
			Collector: "app=collector", Container: "collector", Prefix: "report: ", Lines: append(lines, "report finished"),
		})
		lifecycle.SidecarEndsWell(ctx, s, "report", "shipper")
	})

	It("that stands before the database is there when the migration connects, once", func(ctx SpecContext) {
		s := newSpace(ctx)
		lifecycle.RealProgramsAreThere(ctx, s)
		lifecycle.JobExampleCompletes(ctx, s, lifecycle.JobExample{
			Manifest: example("real/database-proxy.yaml"), Job: "migrate", App: "psql", Sidecar: "pgbouncer", OwnJournal: true,
		})
		lifecycle.SidecarEndsWell(ctx, s, "migrate", "pgbouncer")
		// Past the proxy, which is gone.
		lifecycle.PodPrints(ctx, s, `
apiVersion: v1
kind: Pod
metadata: {name: pod}
spec:
  restartPolicy: Never
  containers:
  - name: it
    image: `+lifecycle.RealImage+`
    command: [psql, --no-psqlrc, --host=database, --username=shop, --dbname=shop, --tuples-only, --no-align,
              --command=SELECT count(*) FROM orders]
    env:
    - name: PGPASSWORD
      valueFrom: {secretKeyRef: {name: database, key: password}}
`, "1000\n")
	})
})
