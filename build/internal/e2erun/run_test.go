package e2erun

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"encoding/json"

	"github.com/onsi/ginkgo/v2/types"
)

func TestFilterKeepsToTheKindOfCluster(t *testing.T) {
	for _, c := range []struct {
		run  Run
		want string
	}{
		{Run{}, "!gate-off && !skew && !real"},
		{Run{Workloads: true}, "!gate-off && !skew"},
		{Run{Gate: GateOff}, "gate-off"},
		{Run{Gate: GateMixed}, "skew"},
		{Run{Gate: GateOff, Workloads: true}, "gate-off"},
		{Run{Labels: "start || job"}, "!gate-off && !skew && !real && (start || job)"},
	} {
		if got := c.run.filter(); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
		if _, err := types.ParseLabelFilter(c.run.filter()); err != nil {
			t.Error(err)
		}
	}
}

func TestWorkloadsAreWantedByTheSpecsThatNeedThem(t *testing.T) {
	for _, c := range []struct {
		run  Run
		want bool
	}{
		{Run{}, true},
		{Run{Gate: GateOn, Labels: "!disruptive"}, true},
		{Run{Labels: "real"}, true},
		{Run{Labels: "start || real"}, true},
		{Run{Labels: "start || job"}, false},
		{Run{Labels: "!real"}, false},
		{Run{Gate: GateOff}, false},
		{Run{Gate: GateMixed}, false},
	} {
		got, err := c.run.WantsWorkloads()
		if err != nil || got != c.want {
			t.Errorf("%+v: got %v, %v; want %v", c.run, got, err, c.want)
		}
	}
	if _, err := (Run{Labels: "start ||"}).WantsWorkloads(); err == nil {
		t.Error("no error for a filter that is none")
	}
}

func TestArguments(t *testing.T) {
	args := Run{Output: "/out", Config: "/settings", Kubeconfig: "/kube", Args: []string{"--focus=x"}}.arguments(3)
	split := slices.Index(args, "--")
	if split < 0 || !slices.Contains(args[:split], "--procs=3") || !slices.Contains(args[:split], "--focus=x") ||
		!slices.Contains(args[:split], "--fail-on-empty") || !slices.Contains(args[split:], "-e2e.kubeconfig=/kube") {
		t.Errorf("got %q", args)
	}
}

func TestReport(t *testing.T) {
	report := func(specs ...types.SpecReport) string {
		data, err := json.Marshal([]types.Report{{SpecReports: specs}})
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Join(t.TempDir(), "report.json")
		if err := os.WriteFile(name, data, 0o644); err != nil {
			t.Fatal(err)
		}
		return name
	}
	spec := func(text string, kind types.NodeType, state types.SpecState) types.SpecReport {
		return types.SpecReport{LeafNodeText: text, LeafNodeType: kind, State: state}
	}
	s, err := ReadReport(report(
		spec("", types.NodeTypeSynchronizedBeforeSuite, types.SpecStatePassed),
		spec("one", types.NodeTypeIt, types.SpecStatePassed),
		spec("two", types.NodeTypeIt, types.SpecStateFailed),
		spec("three", types.NodeTypeIt, types.SpecStateTimedout),
		spec("left out", types.NodeTypeIt, types.SpecStateSkipped),
	))
	if err != nil || s.String() != "1 passed, 2 failed" || strings.Join(s.Failures, ",") != "two,three" {
		t.Errorf("got %q, %v, %v", s, s.Failures, err)
	}
	setup := spec("", types.NodeTypeSynchronizedBeforeSuite, types.SpecStateFailed)
	s, err = ReadReport(report(setup, setup))
	if err != nil || s.Failed != 1 || s.Failures[0] != "SynchronizedBeforeSuite" {
		t.Errorf("a set-up that failed: got %q, %v, %v", s, s.Failures, err)
	}
	crash := spec("four", types.NodeTypeIt, types.SpecStatePanicked)
	crash.Failure.Message = "why"
	specs, err := ReadSpecs(report(setup, setup, crash,
		spec("left out", types.NodeTypeIt, types.SpecStateSkipped), spec("five", types.NodeTypeIt, types.SpecStatePassed)))
	want := "[{SynchronizedBeforeSuite true true } {four false true why} {five false false }]"
	if got := fmt.Sprint(specs); err != nil || got != want {
		t.Errorf("got %s, %v, want %s", got, err, want)
	}
	if _, err := ReadReport(filepath.Join(t.TempDir(), "none")); err == nil {
		t.Error("no error for a missing report")
	}
}
