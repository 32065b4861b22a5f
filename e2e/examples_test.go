package e2e

import (
	"os"
	"path/filepath"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"sidecar-node/e2e/lifecycle"
)

// example reads a file that people copy from.
func example(name string) string {
	GinkgoHelper()
	data, err := os.ReadFile(filepath.Join("..", "examples", name))
	Expect(err).To(Succeed())
	return string(data)
}

var _ = Describe("the example", Label("examples"), func() {
	DescribeTable("of a Job completes:", func(ctx SpecContext, file string, in lifecycle.JobExample) {
		in.Manifest = example(file)
		lifecycle.JobExampleCompletes(ctx, newSpace(ctx), in)
	},
		Entry("a proxy", "job-with-sidecar.yaml", lifecycle.JobExample{Job: "job-with-sidecar", App: "app", Sidecar: "proxy"}),
		Entry("a log shipper", "cronjob-with-log-shipper.yaml", lifecycle.JobExample{CronJob: "nightly-report", App: "report", Sidecar: "log-shipper"}),
		Entry("a migration that fails once", "migration-with-database-proxy.yaml",
			lifecycle.JobExample{Job: "migration", App: "migrate", Sidecar: "database-proxy", Restarts: 1, OwnJournal: true}),
	)

	It("of a Deployment loses no call in a rollout", func(ctx SpecContext) {
		lifecycle.RolloutLosesNoCall(ctx, newSpace(ctx), lifecycle.Rollout{
			Manifest: example("deployment-with-proxy.yaml"), Deployment: "web", Label: "app=web",
			App: "app", Sidecar: "proxy", Replicas: 2,
		})
	})
})
