// Package gotest runs go test and counts what passed.
package gotest

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Summary is what a run came to.
type Summary struct {
	// Passed, Failed and Skipped count top-level tests, and packages that
	// could not be compiled or ended outside of a test as one failure each.
	Passed, Failed, Skipped int
	// Failures names them, as package and test.
	Failures []string
	// Skips names the tests that were skipped.
	Skips []string
}

// Run is one run of go test.
type Run struct {
	// Dir is the folder of the module or workspace.
	Dir string
	// Args follow go test -json, for example packages and flags.
	Args []string
	// Env are variables on top of the environment of this process.
	Env []string
	// Log is a file that receives everything that the tests print.
	Log string
	// Out receives a line for each package and the output of failed tests.
	Out io.Writer
}

// event is a line of go test -json.
type event struct {
	Action, Package, Test, Output string
	// ImportPath is set instead of Package while compiling.
	ImportPath string
	// FailedBuild is the ImportPath whose compilation failed.
	FailedBuild string
	Elapsed     float64
}

// Do runs the tests. Failed tests are in the summary; the error is about a run
// that could not be made.
func (r Run) Do(ctx context.Context) (Summary, error) {
	if err := os.MkdirAll(filepath.Dir(r.Log), 0o755); err != nil {
		return Summary{}, err
	}
	log, err := os.Create(r.Log)
	if err != nil {
		return Summary{}, err
	}
	defer log.Close()
	cmd := exec.CommandContext(ctx, "go", append([]string{"test", "-json"}, r.Args...)...)
	cmd.Dir = r.Dir
	cmd.Env = append(os.Environ(), r.Env...)
	cmd.Stderr = log
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return Summary{}, err
	}
	if err := cmd.Start(); err != nil {
		return Summary{}, err
	}
	s, readErr := count(stdout, log, r.Out)
	waitErr := cmd.Wait()
	switch {
	case ctx.Err() != nil:
		return s, ctx.Err()
	case readErr != nil:
		return s, readErr
	case waitErr != nil && s.Failed == 0:
		return s, fmt.Errorf("go test: %w (all output: %s)", waitErr, r.Log)
	}
	return s, nil
}

// counter follows the events of a run.
type counter struct {
	Summary
	log, out io.Writer
	// printed is the output of whatever hasn't ended yet, by package and test
	// or by what is compiled.
	printed map[[2]string]*strings.Builder
	// failed are the packages with a failed test.
	failed map[string]bool
}

// count reads the events of a run.
func count(events io.Reader, log, out io.Writer) (Summary, error) {
	c := counter{log: log, out: out, printed: map[[2]string]*strings.Builder{}, failed: map[string]bool{}}
	lines := bufio.NewScanner(events)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var e event
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			// go test prints plain text when it can't start at all.
			fmt.Fprintln(log, lines.Text())
			continue
		}
		c.take(e)
	}
	return c.Summary, lines.Err()
}

func (c *counter) take(e event) {
	// What a part of a test prints belongs to the test.
	test, _, part := strings.Cut(e.Test, "/")
	key := [2]string{e.Package, test}
	switch e.Action {
	case "build-output":
		key = [2]string{e.ImportPath}
		fallthrough
	case "output":
		io.WriteString(c.log, e.Output)
		if c.printed[key] == nil {
			c.printed[key] = &strings.Builder{}
		}
		c.printed[key].WriteString(e.Output)
	case "pass", "fail", "skip":
		if part {
			return
		}
		if e.Test == "" {
			c.packageEnds(e)
		} else {
			c.testEnds(e, key)
		}
		delete(c.printed, key)
	}
}

func (c *counter) testEnds(e event, key [2]string) {
	name := e.Package + " " + e.Test
	switch e.Action {
	case "pass":
		c.Passed++
	case "skip":
		c.Skipped++
		c.Skips = append(c.Skips, name)
	case "fail":
		c.failed[e.Package] = true
		c.fail(name, key)
	}
}

// packageEnds counts the failure of a package only if none of its tests
// explains it: it could not be compiled, it panicked, or it ran out of time.
func (c *counter) packageEnds(e event) {
	switch e.Action {
	case "skip": // no test files
		return
	case "pass":
		fmt.Fprintf(c.out, "ok   %7.1f s  %s\n", e.Elapsed, e.Package)
		return
	}
	if !c.failed[e.Package] {
		var unfinished [][2]string
		for key := range c.printed {
			if key[0] == e.Package || e.FailedBuild != "" && key[0] == e.FailedBuild {
				unfinished = append(unfinished, key)
			}
		}
		c.fail(e.Package, unfinished...)
	}
	fmt.Fprintf(c.out, "FAIL %7.1f s  %s\n", e.Elapsed, e.Package)
}

func (c *counter) fail(name string, keys ...[2]string) {
	c.Failed++
	c.Failures = append(c.Failures, name)
	for _, key := range keys {
		if b := c.printed[key]; b != nil {
			io.WriteString(c.out, b.String())
		}
	}
}
