package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sidecar-node/build/internal/layout"
	"sidecar-node/e2e/bench"
)

// bench runs the command and returns what it prints.
func runBench(t *testing.T, args ...string) (string, error) {
	t.Helper()
	var out bytes.Buffer
	cmd := benchCommand(&environment{Layout: layout.Layout{Root: t.TempDir()}})
	cmd.SetArgs(args)
	cmd.SetOut(&out)
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	err := cmd.Execute()
	return out.String(), err
}

func TestBenchRefusesFlags(t *testing.T) {
	for want, args := range map[string][]string{
		"--rounds and --pods":               {"--rounds=0"},
		"want at least 1":                   {"--pods=-1"},
		"--rest 10ms":                       {"--rest=10ms"},
		`--only: there is no measure "fast`: {"--only=start,fast"},
		"start.csv":                         {"--only=start", "--from=" + t.TempDir()},
	} {
		if _, err := runBench(t, args...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want an error with %q", args, err, want)
		}
	}
}

func TestBenchPrintsSamplesAgain(t *testing.T) {
	measures, err := bench.Choose([]string{bench.ExitToTerm})
	if err != nil {
		t.Fatal(err)
	}
	var samples []bench.Sample
	for round := range 3 {
		for i, v := range measures[0].Variants {
			samples = append(samples, bench.Sample{Round: round + 1, Measure: bench.ExitToTerm, Variant: v, Value: float64(10 - 4*i)})
		}
	}
	dir := t.TempDir()
	if err := bench.WriteFiles(dir, measures, samples); err != nil {
		t.Fatal(err)
	}
	plot := filepath.Join(dir, bench.ExitToTerm+".svg")
	if err := os.Remove(plot); err != nil {
		t.Fatal(err)
	}
	// 2 s after 6 s is a third: the goal is met, and a missed one would be no error.
	out, err := runBench(t, "--only=exit-to-term", "--from="+dir)
	if err != nil || !strings.Contains(out, "at most 0.4: met") {
		t.Errorf("got %v and\n%s", err, out)
	}
	if _, err := os.Stat(plot); err != nil {
		t.Error(err)
	}
}

func TestBenchRepeats(t *testing.T) {
	r := &benchRun{only: []string{"start", "rest-cpu"}, kubeconfig: "mixed"}
	r.Rounds, r.Seed, r.Pods = 3, 17, 4
	if got, want := r.repeat(), "make bench ROUNDS=3 ARGS='--seed=17 --pods=4 --rest=0s --kubeconfig=mixed --only=start,rest-cpu'"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
