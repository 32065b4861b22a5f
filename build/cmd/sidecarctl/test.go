package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"sidecar-node/build/internal/cluster"
	"sidecar-node/build/internal/e2erun"
	"sidecar-node/build/internal/layout"
	"sidecar-node/build/internal/phase"
	"sidecar-node/build/internal/pipeline"
	"sidecar-node/build/internal/prerequisite"
	"sidecar-node/build/internal/unit"
	"sidecar-node/build/internal/verify"
)

func init() { commands = append(commands, testCommand) }

// testCluster is the prefix of the names of the clusters that a test run makes
// for itself; those of the user stay as they are.
const testCluster = "sidecar-test"

// suite is the package of the cluster suite, which needs a cluster.
const suite = "sidecar-node/e2e"

// testRun is one run of all tests.
type testRun struct {
	*environment
	out     io.Writer
	machine *prerequisite.Machine
	keep    bool
}

func testCommand(env *environment) *cobra.Command {
	var only []string
	r := &testRun{environment: env}
	cmd := &cobra.Command{
		Use:   "test",
		Short: "Run verify, all unit tests and the cluster suite, with one summary",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			r.out = cmd.OutOrStdout()
			phases, err := r.chosen(only)
			if err != nil {
				return err
			}
			return phase.Run(cmd.Context(), phases, r.out)
		},
	}
	cmd.Flags().StringSliceVar(&only, "only", nil, "run only these phases: "+strings.Join(phaseNames(r.phases()), ", "))
	cmd.Flags().BoolVar(&r.keep, "keep", false, "leave the clusters of the test run")
	return cmd
}

func (r *testRun) phases() []phase.Phase {
	return []phase.Phase{
		{Name: "setup", Repeat: "make setup", Run: r.setup},
		{Name: "verify", Repeat: "make verify", Run: r.verify},
		{Name: "unit", Repeat: "hack/sidecarctl test --only unit", Run: r.unit},
		{Name: "upstream", Repeat: "hack/sidecarctl unit", Needs: "setup", Run: r.upstream},
		{Name: "image", Repeat: "make image", Needs: "setup", Run: r.image},
		{Name: "e2e", Repeat: "hack/sidecarctl test --only setup,image,e2e", Needs: "image", Run: r.gateOn},
		{Name: "e2e gate off", Repeat: "hack/sidecarctl test --only 'setup,image,e2e gate off'", Needs: "image", Run: r.gateOff},
		{Name: "e2e gate mixed", Repeat: "hack/sidecarctl test --only 'setup,image,e2e gate mixed'", Needs: "image", Run: r.gateMixed},
	}
}

func phaseNames(phases []phase.Phase) []string {
	var names []string
	for _, p := range phases {
		names = append(names, p.Name)
	}
	return names
}

// chosen returns the phases with the given names, all if there are none.
func (r *testRun) chosen(names []string) ([]phase.Phase, error) {
	all := r.phases()
	for _, n := range names {
		if !slices.Contains(phaseNames(all), n) {
			return nil, fmt.Errorf("no phase %q: want some of %s", n, strings.Join(phaseNames(all), ", "))
		}
	}
	if len(names) == 0 {
		return all, nil
	}
	return slices.DeleteFunc(all, func(p phase.Phase) bool { return !slices.Contains(names, p.Name) }), nil
}

// setup makes the machine fit. Phases that need it look at the machine again
// when it isn't among the chosen ones.
func (r *testRun) setup(ctx context.Context) (phase.Result, error) {
	r.machine = r.environment.machine(ctx, 0)
	return phase.Result{}, prerequisite.Setup(ctx, r.machine, prerequisite.List(), r.out, r.Output("reports", "apt.log"))
}

func (r *testRun) look(ctx context.Context) (*prerequisite.Machine, error) {
	if r.machine == nil {
		r.machine = r.environment.machine(ctx, 0)
	}
	return r.machine, r.machine.EngineErr
}

func (r *testRun) verify(ctx context.Context) (phase.Result, error) {
	if err := pipeline.Assemble(ctx, r.pipeline(), layout.Sidecar); err != nil {
		return phase.Result{}, err
	}
	repository, err := verify.Open(ctx, r.pipeline())
	if err != nil {
		return phase.Result{}, err
	}
	var result phase.Result
	for _, c := range verify.Run(ctx, repository, verify.All(), r.out) {
		if c.Err == nil {
			result.Passed++
			continue
		}
		result.Failed++
		result.Failures = append(result.Failures, c.Name+": "+c.Mend)
	}
	return result, nil
}

// unit runs our own tests, all but the cluster suite.
func (r *testRun) unit(ctx context.Context) (phase.Result, error) {
	list := exec.CommandContext(ctx, "go", "list", "./...")
	list.Dir = r.Root
	out, err := list.Output()
	if err != nil {
		return phase.Result{}, fmt.Errorf("go list ./...: %w", err)
	}
	reports := r.Output("reports")
	if err := os.MkdirAll(reports, 0o755); err != nil {
		return phase.Result{}, err
	}
	packages := slices.DeleteFunc(strings.Fields(string(out)), func(p string) bool { return p == suite })
	log, err := os.Create(filepath.Join(reports, "unit.log"))
	if err != nil {
		return phase.Result{}, err
	}
	defer log.Close()
	report, err := unit.Run(ctx, r.Root, packages, unit.Options{Env: []string{"GOWORK=off", "GOFLAGS="}, Log: log, Progress: r.out})
	if err != nil {
		return phase.Result{}, err
	}
	result := phase.Result{Passed: report.Passed()}
	for _, t := range report.Results {
		switch t.Outcome {
		case "skip":
			result.Skipped++
			fmt.Fprintf(r.out, "skipped: %s %s\n", t.Package, t.Test)
		case "fail":
			result.Failed++
			result.Failures = append(result.Failures, strings.TrimSpace(t.Package+" "+t.Test))
			fmt.Fprintf(r.out, "--- FAIL %s %s\n%s\n", t.Package, t.Test, t.Output)
		}
	}
	return result, nil
}

// upstream runs upstream's tests of the packages that the series touches.
func (r *testRun) upstream(ctx context.Context) (phase.Result, error) {
	packages, err := pipeline.TouchedPackages(ctx, r.pipeline())
	if err != nil {
		return phase.Result{}, err
	}
	suite := unit.Suite{
		Tree: r.Src(layout.Sidecar),
		Stock: func(ctx context.Context) (string, error) {
			return r.Src(layout.Stock), pipeline.Tree(ctx, r.pipeline(), layout.Stock)
		},
		Reports: r.Output("reports"),
		Out:     r.out,
	}
	t, err := suite.Run(ctx, packages, unit.GateStates)
	if err != nil {
		return phase.Result{}, err
	}
	result := phase.Result{Passed: t.Passed, Failed: t.Failed, Skipped: t.AlsoOnStock}
	if t.Failed > 0 {
		result.Failures = []string{fmt.Sprintf("%d tests, see above and %s", t.Failed, suite.Reports)}
	}
	return result, nil
}

func (r *testRun) image(ctx context.Context) (phase.Result, error) {
	m, err := r.look(ctx)
	if err != nil {
		return phase.Result{}, err
	}
	return phase.Result{}, r.nodeImage(ctx, m.Engine, layout.Sidecar)
}

func (r *testRun) gateOn(ctx context.Context) (phase.Result, error) {
	return r.e2e(ctx, e2erun.GateOn)
}

func (r *testRun) gateOff(ctx context.Context) (phase.Result, error) {
	return r.e2e(ctx, e2erun.GateOff)
}

func (r *testRun) gateMixed(ctx context.Context) (phase.Result, error) {
	m, err := r.look(ctx)
	if err != nil {
		return phase.Result{}, err
	}
	if err := r.suiteImages(ctx, e2erun.GateMixed, m.Engine); err != nil {
		return phase.Result{}, err
	}
	return r.e2e(ctx, e2erun.GateMixed)
}

// e2e runs the cluster suite in a cluster of its own, made for this run from
// the current image, and deletes it.
func (r *testRun) e2e(ctx context.Context, gate e2erun.Gate) (result phase.Result, err error) {
	m, err := r.look(ctx)
	if err != nil {
		return result, err
	}
	c, err := r.suiteCluster(testCluster, gate, m.Engine, r.out)
	if err != nil {
		return result, err
	}
	c.UserKubeconfig = false
	// What an interrupted run left behind has an image of its time.
	if state, err := c.State(ctx); err != nil {
		return result, err
	} else if state != cluster.Absent {
		if err := c.Delete(ctx); err != nil {
			return result, err
		}
	}
	if err := c.Create(ctx); err != nil {
		return result, err
	}
	if !r.keep {
		defer func() {
			if deleteErr := c.Delete(context.WithoutCancel(ctx)); err == nil {
				err = deleteErr
			}
		}()
	}
	if gate == e2erun.GateOn {
		if err := c.RunJob(ctx, r.Path("examples", exampleJob+".yaml"), exampleJob); err != nil {
			return phase.Result{Failed: 1, Failures: []string{"example Job: " + err.Error()}}, nil
		}
		result.Passed++
	}
	run := e2erun.Run{
		Root: r.Root, Config: r.suiteSettings(), Kubeconfig: c.Kubeconfig, Gate: gate,
		Output: r.suiteOutput(gate), Out: r.out,
	}
	if err := r.loadWorkloads(ctx, &run, c); err != nil {
		return result, err
	}
	s, err := r.runE2E(ctx, run, gate, true)
	result.Passed += s.Passed
	result.Failed += s.Failed
	result.Failures = append(result.Failures, s.Failures...)
	if s.Failed > 0 {
		// The suite's own error says no more than the failures do.
		err = nil
	}
	return result, err
}
