// Package microbench runs Go benchmarks of ours in two or more trees of
// Kubernetes and compares what they measure. The trees take turns, round by
// round, so that whatever else the machine does hits all of them.
package microbench

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"time"

	"golang.org/x/perf/benchfmt"
	"golang.org/x/perf/benchmath"

	"sidecar-node/build/internal/gotool"
)

// Variant is a tree in which the benchmarks run.
type Variant struct {
	// Name is the head of its column.
	Name string
	// Tree is the folder of the tree.
	Tree string
	// Replace maps files of the tree, which need not exist there, to those that
	// are compiled in their place.
	Replace map[string]string
}

// Benchmarks is a set of benchmarks of one package.
type Benchmarks struct {
	// Package is the folder of the package in the tree.
	Package string
	// Pattern selects the benchmarks, as -bench does.
	Pattern string
}

// Options of a run.
type Options struct {
	// Rounds is how often every benchmark is measured in every variant.
	Rounds int
	// Time is how long one measurement takes, as -benchtime has it.
	Time string
	// Progress receives a line a step.
	Progress io.Writer
}

// Units are what is compared.
var Units = []string{"sec/op", "allocs/op", "B/op"}

// Results holds measured values by benchmark, unit and variant.
type Results map[string]map[string]map[string][]float64

// Run measures the benchmarks in the variants.
func Run(ctx context.Context, variants []Variant, benchmarks []Benchmarks, o Options) (Results, error) {
	tmp, err := os.MkdirTemp("", "microbench-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(tmp)
	for _, v := range variants {
		for _, b := range benchmarks {
			start := time.Now()
			if err := compile(ctx, v, b, tmp); err != nil {
				return nil, err
			}
			fmt.Fprintf(o.Progress, "==> compile the benchmarks of %s, %s: %.1f s\n", b.Package, v.Name, time.Since(start).Seconds())
		}
	}
	results := Results{}
	for round := range o.Rounds {
		start := time.Now()
		// Each round begins with another variant: none is always first.
		order := append(slices.Clone(variants[round%len(variants):]), variants[:round%len(variants)]...)
		for _, b := range benchmarks {
			for _, v := range order {
				if err := measure(ctx, v, b, o, tmp, results); err != nil {
					return nil, err
				}
			}
		}
		fmt.Fprintf(o.Progress, "==> round %d of %d: %.1f s\n", round+1, o.Rounds, time.Since(start).Seconds())
	}
	if len(results) == 0 {
		return nil, errors.New("no benchmark was measured: none matches")
	}
	return results, nil
}

func binary(tmp string, v Variant, b Benchmarks) string {
	return filepath.Join(tmp, v.Name+"-"+path.Base(b.Package)+".test")
}

func compile(ctx context.Context, v Variant, b Benchmarks, tmp string) error {
	args := []string{"test", "-c", "-vet=off", "-o", binary(tmp, v, b)}
	if len(v.Replace) > 0 {
		replace := map[string]string{}
		for file, by := range v.Replace {
			replace[filepath.Join(v.Tree, file)] = by
		}
		data, err := json.Marshal(map[string]any{"Replace": replace})
		if err != nil {
			return err
		}
		overlay := filepath.Join(tmp, v.Name+".json")
		if err := os.WriteFile(overlay, data, 0o644); err != nil {
			return err
		}
		args = append(args, "-overlay="+overlay)
	}
	return gotool.Run(gotool.Command(ctx, v.Tree, "go", append(args, "./"+b.Package)...))
}

// measure runs the benchmarks once and adds what they print to the results.
func measure(ctx context.Context, v Variant, b Benchmarks, o Options, tmp string, results Results) error {
	cmd := exec.CommandContext(ctx, binary(tmp, v, b), "-test.run=^$", "-test.bench="+b.Pattern, "-test.benchtime="+o.Time, "-test.benchmem")
	cmd.Dir = filepath.Join(v.Tree, b.Package)
	var out, errOut bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errOut
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("benchmarks of %s in the %s tree: %w: %s%s", b.Package, v.Name, err, out.String(), errOut.String())
	}
	return results.read(&out, v.Name)
}

// read adds the lines of a benchmark's output.
func (r Results) read(in io.Reader, variant string) error {
	reader := benchfmt.NewReader(in, variant)
	for reader.Scan() {
		switch record := reader.Result().(type) {
		case *benchfmt.Result:
			name := string(record.Name.Full())
			for _, unit := range Units {
				value, ok := record.Value(unit)
				if !ok {
					continue
				}
				if r[name] == nil {
					r[name] = map[string]map[string][]float64{}
				}
				if r[name][unit] == nil {
					r[name][unit] = map[string][]float64{}
				}
				r[name][unit][variant] = append(r[name][unit][variant], value)
			}
		case *benchfmt.SyntaxError:
			return record
		}
	}
	return reader.Err()
}

// Write writes a table that compares every variant with the first one: the
// median of the first, and the ratio of the medians of the others with the
// probability that the difference is chance.
func (r Results) Write(out io.Writer, variants []string) {
	base := variants[0]
	fmt.Fprintf(out, "%-44s %-10s %14s", "benchmark", "unit", base)
	for _, v := range variants[1:] {
		fmt.Fprintf(out, "  %24s", v)
	}
	fmt.Fprintln(out)
	for _, name := range slices.Sorted(maps.Keys(r)) {
		for _, unit := range Units {
			values := r[name][unit]
			if len(values[base]) == 0 {
				continue
			}
			first := benchmath.NewSample(values[base], &benchmath.DefaultThresholds)
			center := benchmath.AssumeNothing.Summary(first, 0.95).Center
			fmt.Fprintf(out, "%-44s %-10s %14s", name, unit, number(center, unit))
			for _, v := range variants[1:] {
				other := benchmath.NewSample(values[v], &benchmath.DefaultThresholds)
				ratio := benchmath.AssumeNothing.Summary(other, 0.95).Center / center
				fmt.Fprintf(out, "  %8.3f (%s)", ratio, benchmath.AssumeNothing.Compare(first, other))
			}
			fmt.Fprintln(out)
		}
	}
}

func number(v float64, unit string) string {
	if unit == "sec/op" {
		return fmt.Sprintf("%.2f µs", v*1e6)
	}
	return fmt.Sprintf("%.0f", v)
}
