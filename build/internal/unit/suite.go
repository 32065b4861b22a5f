package unit

import (
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Suite is the tests of the touched packages.
type Suite struct {
	// Tree is the folder of the sidecar tree.
	Tree string
	// Stock returns the folder of the tree without the series; it is called
	// only if tests fail.
	Stock func(ctx context.Context) (string, error)
	// Reports is the folder for reports and logs.
	Reports string
	// Out receives the lines that people read.
	Out io.Writer
}

// Totals is what a suite comes to.
type Totals struct {
	// Passed and Failed count top-level tests, and packages that do not
	// build, over all states of the gate.
	Passed, Failed int
	// AlsoOnStock counts tests that fail in the same way in the tree without
	// the series on this host. They are in neither of the other numbers.
	AlsoOnStock int
}

// GateStates are the states of the gate that a suite knows.
var GateStates = []string{"off", "on"}

// Run tests packages with the gate in each of the states and returns the
// totals. A test that fails is run once more by itself, and then in the stock
// tree, so that a busy or poor host is not taken for a fault of the series; all
// such tests are named.
func (s *Suite) Run(ctx context.Context, packages, gates []string) (*Totals, error) {
	total := &Totals{}
	for _, g := range gates {
		if err := s.run(ctx, packages, g, total); err != nil {
			return nil, err
		}
	}
	return total, nil
}

func (s *Suite) run(ctx context.Context, packages []string, gate string, total *Totals) error {
	fmt.Fprintf(s.Out, "==> Test %d packages with the gate %s\n", len(packages), gate)
	o := Options{Progress: s.Out}
	if gate == "on" {
		tmp, err := os.MkdirTemp("", "sidecarctl-unit-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(tmp)
		if o.Overlay, err = gateOn(s.Tree, tmp); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(s.Reports, 0o755); err != nil {
		return err
	}
	log, err := os.Create(filepath.Join(s.Reports, "unit-gate-"+gate+".log"))
	if err != nil {
		return err
	}
	defer log.Close()
	o.Log = log
	r, err := Run(ctx, s.Tree, packages, o)
	if err != nil {
		return err
	}
	if err := r.Save(filepath.Join(s.Reports, "unit-gate-"+gate+".json")); err != nil {
		return err
	}
	total.Passed += r.Passed()
	failed := r.Failed()
	if len(failed) > 0 {
		if failed, err = s.judge(ctx, failed, gate, o.Overlay, total); err != nil {
			return err
		}
	}
	total.Failed += len(failed)
	for _, t := range failed {
		fmt.Fprintf(s.Out, "--- FAIL %s %s (gate %s)\n%s\n", t.Package, t.Test, gate, strings.TrimRight(t.Output, "\n"))
		fmt.Fprintf(s.Out, "to repeat: hack/sidecarctl unit --gate %s %s\n", gate, t.Package)
	}
	s.slowest(r)
	fmt.Fprintf(s.Out, "==> Test with the gate %s: %d passed, %d failed, %.1f s\n", gate, r.Passed(), len(failed), r.Total)
	return nil
}

// judge runs failed tests again by themselves, and those that fail again in
// the stock tree. It returns the ones that are the series' fault.
func (s *Suite) judge(ctx context.Context, failed []Result, gate, overlay string, total *Totals) ([]Result, error) {
	var guilty []Result
	for _, t := range failed {
		again, err := s.repeat(ctx, s.Tree, t, overlay)
		if err != nil {
			return nil, err
		}
		if again == nil {
			fmt.Fprintf(s.Out, "    passed when repeated by itself: %s %s (gate %s)\n", t.Package, t.Test, gate)
			total.Passed++
			continue
		}
		if again.Test == "" {
			// The package does not build or dies: no single test to compare.
			guilty = append(guilty, *again)
			continue
		}
		stock, err := s.Stock(ctx)
		if err != nil {
			return nil, err
		}
		there, err := s.repeat(ctx, stock, t, "")
		if err != nil {
			return nil, err
		}
		if there != nil {
			fmt.Fprintf(s.Out, "    fails on stock Kubernetes as well: %s %s (gate %s)\n", t.Package, t.Test, gate)
			total.AlsoOnStock++
			continue
		}
		guilty = append(guilty, *again)
	}
	return guilty, nil
}

// repeat runs one test, or a whole package, and returns its failure, or nil if
// it passes or, in the stock tree, does not exist.
func (s *Suite) repeat(ctx context.Context, dir string, t Result, overlay string) (*Result, error) {
	o := Options{Overlay: overlay, Fresh: true}
	if t.Test != "" {
		o.Run = "^" + regexp.QuoteMeta(t.Test) + "$"
	}
	r, err := Run(ctx, dir, []string{t.Package}, o)
	if err != nil {
		return nil, err
	}
	for _, f := range r.Failed() {
		if f.Test == t.Test || f.Test == "" || t.Test == "" {
			return &f, nil
		}
	}
	return nil, nil
}

// slowest prints the packages that took longest.
func (s *Suite) slowest(r *Report) {
	names := slices.SortedFunc(maps.Keys(r.Seconds), func(a, b string) int {
		switch {
		case r.Seconds[a] > r.Seconds[b]:
			return -1
		case r.Seconds[a] < r.Seconds[b]:
			return 1
		}
		return strings.Compare(a, b)
	})
	const most = 10
	for i, n := range names {
		if i == most || r.Seconds[n] < 1 {
			break
		}
		if i == 0 {
			fmt.Fprintln(s.Out, "    slowest packages:")
		}
		fmt.Fprintf(s.Out, "    %7.1f s  %s\n", r.Seconds[n], n)
	}
}
