// Package e2e is the suite that runs against a cluster: make e2e, or see
// docs/testing.md.
package e2e

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/onsi/gomega/format"

	"sidecar-node/e2e/artifact"
	"sidecar-node/e2e/config"
	"sidecar-node/e2e/framework"
)

var (
	configFile = flag.String("e2e.config", "", "settings of the suite, such as e2e/config/default.yaml; without it the suite does not run")
	kubeconfig = flag.String("e2e.kubeconfig", "", "kubeconfig of the cluster (default: $KUBECONFIG, then ~/.kube/config)")
	kubectl    = flag.String("e2e.kubectl", "kubectl", "our kubectl")
	artifacts  = flag.String("e2e.artifacts", "", "folder for the journal of every spec and the state of failed ones")
	keep       = flag.Bool("e2e.keep", false, "leave the namespaces of failed specs and the reader in the cluster")
)

func TestE2E(t *testing.T) {
	if *configFile == "" {
		t.Skip("needs a cluster: run it by make e2e, which passes -e2e.config")
	}
	// A timeline that is cut off explains nothing.
	format.MaxLength = 0
	RegisterFailHandler(Fail)
	RunSpecs(t, "lifecycle.type: Sidecar")
}

// run is what all parallel processes share.
type run struct {
	// ID begins the name of every namespace of this run.
	ID string
}

var (
	cluster *framework.Cluster
	this    run
)

func connect() *framework.Cluster {
	settings, err := config.Load(*configFile)
	Expect(err).To(Succeed())
	c, err := framework.Connect(*kubeconfig, settings)
	Expect(err).To(Succeed())
	return c
}

var _ = SynchronizedBeforeSuite(func(ctx SpecContext) []byte {
	c := connect()
	version, err := c.Version()
	Expect(err).To(Succeed())
	fmt.Printf("cluster: %s\n", version)
	Expect(c.InstallReader(ctx)).To(Succeed())
	data, err := json.Marshal(run{ID: "e2e-" + strings.ToLower(rand.Text()[:5])})
	Expect(err).To(Succeed())
	return data
}, func(data []byte) {
	Expect(json.Unmarshal(data, &this)).To(Succeed())
	cluster = connect()
})

var _ = SynchronizedAfterSuite(func() {}, func(ctx SpecContext) {
	if cluster != nil && !*keep {
		Expect(cluster.RemoveReader(ctx, this.ID)).To(Succeed())
	}
})

// spaces counts the spaces of this process.
var spaces int

// newSpace makes a namespace for the running spec. After the spec its journal
// and, if it has failed, the state of its objects go to the artifacts.
func newSpace(ctx SpecContext) *framework.Space {
	GinkgoHelper()
	s := openSpace(ctx)
	DeferCleanup(func(ctx SpecContext) {
		failed := CurrentSpecReport().Failed()
		err := save(ctx, s, failed)
		if !failed || !*keep {
			err = errors.Join(err, s.Close(ctx))
		}
		for _, w := range s.Warnings() {
			GinkgoWriter.Println("the API server warned:", w)
		}
		Expect(err).To(Succeed())
	})
	return s
}

// openSpace makes a namespace, which the caller has to save and close.
func openSpace(ctx SpecContext) *framework.Space {
	GinkgoHelper()
	spaces++
	s, err := cluster.NewSpace(ctx, fmt.Sprintf("%s-%d-%d", this.ID, GinkgoParallelProcess(), spaces))
	Expect(err).To(Succeed())
	return s
}

func save(ctx context.Context, s *framework.Space, failed bool) error {
	if *artifacts == "" {
		return nil
	}
	dir := filepath.Join(*artifacts, artifact.Folder(CurrentSpecReport().FullText()))
	err := s.SaveJournal(ctx, dir)
	if failed {
		err = errors.Join(err, s.SaveState(ctx, dir), s.SaveLogs(ctx, dir))
		AddReportEntry("artifacts", dir, ReportEntryVisibilityFailureOrVerbose)
	}
	return err
}
