// Package e2erun runs the cluster suite with Ginkgo and reads its report.
package e2erun

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"

	"github.com/onsi/ginkgo/v2/types"

	"sidecar-node/e2e/config"
)

// Gate is the state of the feature gate in a cluster.
type Gate string

// The states of the gate. Specs for a cluster with the gate off or mixed are
// marked with a label, all others need it on.
const (
	GateOn  Gate = "on"
	GateOff Gate = "off"
	// GateMixed is a cluster whose control plane has the gate on, with three
	// workers: one that has it on, one that has it off, and one of stock Kubernetes.
	GateMixed Gate = "mixed"
)

// Gates are all states, in the order in which the suite runs.
var Gates = []Gate{GateOn, GateOff, GateMixed}

const (
	gateOffLabel = "gate-off"
	mixedLabel   = "skew"
	realLabel    = "real"
)

// Run is one run of the suite against a cluster.
type Run struct {
	// Root is the checkout.
	Root string
	// Kubeconfig leads to the cluster; empty means the usual places.
	Kubeconfig string
	// Config is the settings file of the suite.
	Config string
	// Kubectl is the kubectl that specs run; empty means the one in PATH.
	Kubectl string
	// Labels is a label filter of Ginkgo, such as "start || job".
	Labels string
	// Gate is the state of the feature gate in the cluster; empty means on.
	Gate Gate
	// Workloads says that the image of real programs is on the nodes. Without it
	// the specs that need it are left out.
	Workloads bool
	// Keep leaves what failed specs made in the cluster.
	Keep bool
	// Args are further arguments for ginkgo, such as --focus.
	Args []string
	// Output receives the reports and the artifacts. What earlier runs left
	// there is removed.
	Output string
	// Out receives what people read.
	Out io.Writer
}

// Do runs the suite and returns what it came to. Specs that failed are an
// error, and so is a run of nothing.
func (r Run) Do(ctx context.Context) (Summary, error) {
	settings, err := config.Load(r.Config)
	if err != nil {
		return Summary{}, err
	}
	if err := os.RemoveAll(r.Output); err != nil {
		return Summary{}, err
	}
	if err := os.MkdirAll(r.Output, 0o755); err != nil {
		return Summary{}, err
	}
	cmd := exec.CommandContext(ctx, "go", r.arguments(settings.Parallel)...)
	cmd.Dir = r.Root
	cmd.Stdout, cmd.Stderr = r.Out, r.Out
	// An interrupted suite takes its namespaces away before it ends.
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	runErr := cmd.Run()

	summary, err := ReadReport(filepath.Join(r.Output, reportFile))
	if err != nil {
		return summary, errors.Join(fmt.Errorf("the suite ended without a report: %w", err), runErr)
	}
	fmt.Fprintf(r.Out, "\nreports: %s and %s\n", filepath.Join(r.Output, junitFile), filepath.Join(r.Output, reportFile))
	picture, pictureErr := WritePicture(r.Output, r.Gate)
	if pictureErr != nil {
		pictureErr = fmt.Errorf("the suite ran, but its timelines could not be drawn: %w", pictureErr)
	} else {
		fmt.Fprintf(r.Out, "timelines: %s\n", picture)
	}
	for _, name := range summary.Failures {
		fmt.Fprintf(r.Out, "failed: %s\n", name)
	}
	switch {
	case summary.Failed > 0:
		return summary, errors.Join(fmt.Errorf("%d failed in the cluster suite (timelines and states: %s)", summary.Failed, r.Output), pictureErr)
	case runErr != nil:
		return summary, errors.Join(fmt.Errorf("ginkgo: %w", runErr), pictureErr)
	}
	return summary, pictureErr
}

const (
	junitFile  = "junit.xml"
	reportFile = "report.json"
)

// Specs returns what the last run to this Output has run. Do removes what was there
// before, so that there is nothing to read if the suite died.
func (r Run) Specs() ([]Spec, error) { return ReadSpecs(filepath.Join(r.Output, reportFile)) }

// arguments are those of the go command.
func (r Run) arguments(parallel int) []string {
	args := []string{"tool", "ginkgo", "run",
		"--procs=" + strconv.Itoa(parallel),
		"--label-filter=" + r.filter(),
		"--fail-on-empty", "--fail-on-pending",
		"--randomize-all",
		"--poll-progress-after=2m", "--timeout=30m",
		"--junit-report=" + junitFile, "--json-report=" + reportFile, "--output-dir=" + r.Output,
	}
	if !isTerminal(r.Out) {
		args = append(args, "--no-color")
	}
	args = append(args, r.Args...)
	args = append(args, "./e2e", "--",
		"-e2e.config="+r.Config,
		"-e2e.artifacts="+r.Output,
		"-e2e.keep="+strconv.FormatBool(r.Keep))
	if r.Kubectl != "" {
		args = append(args, "-e2e.kubectl="+r.Kubectl)
	}
	if r.Kubeconfig != "" {
		args = append(args, "-e2e.kubeconfig="+r.Kubeconfig)
	}
	return args
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// WantsWorkloads reports whether specs that need the image of real programs would run
// if it were on the nodes.
func (r Run) WantsWorkloads() (bool, error) {
	r.Workloads = true
	chosen, err := types.ParseLabelFilter(r.filter())
	if err != nil {
		return false, fmt.Errorf("labels %q: %w", r.Labels, err)
	}
	return chosen([]string{realLabel}), nil
}

// filter is the label filter: what was asked for, among the specs that suit
// the cluster.
func (r Run) filter() string {
	suits := "!" + gateOffLabel + " && !" + mixedLabel
	switch r.Gate {
	case GateOff:
		suits = gateOffLabel
	case GateMixed:
		suits = mixedLabel
	default:
		if !r.Workloads {
			suits += " && !" + realLabel
		}
	}
	if r.Labels == "" {
		return suits
	}
	return fmt.Sprintf("%s && (%s)", suits, r.Labels)
}
