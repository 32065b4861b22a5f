package unit

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"sidecar-node/build/internal/gotool"
)

// Result is the outcome of one test, or of a package that did not build or
// crashed (then Test is empty).
type Result struct {
	Package string `json:"package"`
	Test    string `json:"test,omitempty"`
	// Outcome is pass, fail or skip.
	Outcome string `json:"outcome"`
	// Output is what a failed test printed.
	Output string `json:"output,omitempty"`
}

// Report is what one run of `go test` gave.
type Report struct {
	// Results holds the top-level tests.
	Results []Result `json:"results"`
	// Seconds is the time of each package's tests; 0 if the go command had
	// the result in its cache.
	Seconds map[string]float64 `json:"seconds"`
	// Total is the time of the whole run in seconds, compiling included.
	Total float64 `json:"total"`
}

// Failed returns the results that failed.
func (r *Report) Failed() []Result {
	return slices.DeleteFunc(slices.Clone(r.Results), func(t Result) bool { return t.Outcome != "fail" })
}

// Passed is the number of tests that passed.
func (r *Report) Passed() int {
	n := 0
	for _, t := range r.Results {
		if t.Outcome == "pass" {
			n++
		}
	}
	return n
}

// event is one line of `go test -json`.
type event struct {
	Action     string
	Package    string
	ImportPath string
	Test       string
	Output     string
	Elapsed    float64
}

// Options of a run.
type Options struct {
	// Overlay is a file for the -overlay flag, or empty.
	Overlay string
	// Run is a pattern of test names, or empty for all.
	Run string
	// Fresh asks the go command not to use cached results.
	Fresh bool
	// Env are variables, as name=value, on top of those of package gotool.
	Env []string
	// Log receives the lines of `go test -json`.
	Log io.Writer
	// Progress receives a line a package.
	Progress io.Writer
}

// Run runs the tests of packages in the tree at dir. Failed tests are no
// error; an error means that the tests could not be run.
func Run(ctx context.Context, dir string, packages []string, o Options) (*Report, error) {
	args := []string{"test", "-json", "-p", "2", "-vet=off", "-timeout=30m"}
	if o.Overlay != "" {
		args = append(args, "-overlay="+o.Overlay)
	}
	if o.Run != "" {
		args = append(args, "-run", o.Run)
	}
	if o.Fresh {
		args = append(args, "-count=1")
	}
	cmd := gotool.Command(ctx, dir, "go", append(args, packages...)...)
	cmd.Env = append(cmd.Env, o.Env...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	var errOut bytes.Buffer
	cmd.Stderr = &errOut
	start := time.Now()
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	if err := limitMemory(cmd.Process.Pid); err != nil {
		return nil, errors.Join(err, cmd.Process.Kill(), cmd.Wait())
	}
	r, readErr := read(out, o)
	waitErr := cmd.Wait()
	r.Total = time.Since(start).Seconds()
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case readErr != nil:
		return nil, readErr
	case waitErr != nil && !errors.As(waitErr, &exit):
		return nil, waitErr
	case waitErr != nil && len(r.Failed()) == 0:
		return nil, fmt.Errorf("go test: %w\n%s", waitErr, strings.TrimSpace(errOut.String()))
	}
	return r, nil
}

// read turns the stream of events into a report.
func read(in io.Reader, o Options) (*Report, error) {
	r := &Report{Seconds: map[string]float64{}}
	output := map[string]*strings.Builder{}
	say := func(key, text string) {
		if output[key] == nil {
			output[key] = &strings.Builder{}
		}
		output[key].WriteString(text)
	}
	failedTests := map[string]bool{}
	sc := bufio.NewScanner(in)
	sc.Buffer(nil, 64<<20)
	for sc.Scan() {
		if o.Log != nil {
			fmt.Fprintln(o.Log, sc.Text())
		}
		var e event
		if json.Unmarshal(sc.Bytes(), &e) != nil {
			continue
		}
		if e.ImportPath != "" && e.Package == "" {
			// Output of the compiler; the package may carry the variant in
			// brackets.
			e.Package, _, _ = strings.Cut(e.ImportPath, " ")
		}
		top, _, sub := strings.Cut(e.Test, "/")
		key := e.Package + " " + top
		switch e.Action {
		case "output", "build-output":
			say(key, e.Output)
		case "pass", "fail", "skip":
			if sub {
				continue
			}
			t := Result{Package: e.Package, Test: e.Test, Outcome: e.Action}
			if e.Test == "" {
				r.Seconds[e.Package] = e.Elapsed
				if o.Progress != nil {
					fmt.Fprintf(o.Progress, "    %-4s %7.1f s  %s\n", e.Action, e.Elapsed, e.Package)
				}
				// A package fails with its tests; by itself only if it does
				// not build or dies.
				if e.Action != "fail" || failedTests[e.Package] {
					continue
				}
			}
			if e.Action == "fail" {
				failedTests[e.Package] = true
				t.Output = said(output, e.Package, e.Test)
			}
			r.Results = append(r.Results, t)
			delete(output, key)
		}
	}
	return r, sc.Err()
}

// said returns what a test printed. For a package it adds what its unfinished
// tests printed, among which is the one that took the process down.
func said(output map[string]*strings.Builder, pkg, test string) string {
	if test != "" {
		if b := output[pkg+" "+test]; b != nil {
			return b.String()
		}
		return ""
	}
	var all strings.Builder
	for _, k := range slices.Sorted(maps.Keys(output)) {
		if strings.HasPrefix(k, pkg+" ") {
			all.WriteString(output[k].String())
		}
	}
	return all.String()
}

// Save writes the report to file.
func (r *Report) Save(file string) error {
	data, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return os.WriteFile(file, append(data, '\n'), 0o644)
}
