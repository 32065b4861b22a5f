package step

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// counter is a step that counts its runs and writes one output.
func counter(dir string, runs *int) Step {
	output := filepath.Join(dir, "output")
	return Step{
		Name: "count", Title: "count", Inputs: "one", Outputs: []string{output}, Repeat: "make count",
		Do: func(context.Context) error {
			*runs++
			return os.WriteFile(output, nil, 0o644)
		},
	}
}

func TestRunsOnlyWhenInputsOrOutputsChange(t *testing.T) {
	dir, runs := t.TempDir(), 0
	var out bytes.Buffer
	r := &Runner{Stamps: filepath.Join(dir, "stamps"), Out: &out}
	s := counter(dir, &runs)
	run := func(why string, want int) {
		t.Helper()
		if err := r.Run(context.Background(), s); err != nil {
			t.Fatalf("%s: %v", why, err)
		}
		if runs != want {
			t.Errorf("%s: %d runs, want %d", why, runs, want)
		}
	}
	run("first", 1)
	run("nothing changed", 1)
	if !strings.Contains(out.String(), "count: up to date") {
		t.Errorf("it doesn't say that it was skipped:\n%s", out.String())
	}
	s.Inputs = "two"
	run("other inputs", 2)
	if err := os.Remove(s.Outputs[0]); err != nil {
		t.Fatal(err)
	}
	run("output gone", 3)
	if err := os.WriteFile(filepath.Join(r.Stamps, "count.json"), []byte("{torn"), 0o644); err != nil {
		t.Fatal(err)
	}
	run("damaged stamp", 4)
	s.Inputs = ""
	run("no digest", 5)
	run("no digest again", 6)
}

func TestAFailedStepRunsAgain(t *testing.T) {
	dir, runs := t.TempDir(), 0
	r := &Runner{Stamps: filepath.Join(dir, "stamps"), Out: &bytes.Buffer{}}
	s := counter(dir, &runs)
	if err := r.Run(context.Background(), s); err != nil {
		t.Fatal(err)
	}
	cause := errors.New("disk full")
	broken := s
	broken.Inputs = "two"
	broken.Do = func(context.Context) error { return cause }
	err := r.Run(context.Background(), broken)
	var failed *Error
	if !errors.As(err, &failed) || !errors.Is(err, cause) || failed.Step != "count" {
		t.Fatalf("got %v, want an *Error of the step with its cause", err)
	}
	if !strings.HasSuffix(err.Error(), "to repeat: make count") {
		t.Errorf("the error doesn't end with the command that repeats the step: %v", err)
	}
	// The outputs may be damaged now, whatever the old stamp said.
	if err := r.Run(context.Background(), s); err != nil || runs != 2 {
		t.Errorf("after a failure: %d runs, %v; want 2", runs, err)
	}
}

func TestTheInnermostFailureIsNamed(t *testing.T) {
	r := &Runner{Stamps: t.TempDir(), Out: &bytes.Buffer{}}
	err := r.Run(context.Background(), Step{Name: "outer", Title: "outer", Repeat: "make outer", Do: func(ctx context.Context) error {
		return r.Run(ctx, Step{Name: "inner", Title: "inner", Repeat: "make inner", Do: func(context.Context) error { return errors.New("no") }})
	}})
	if err == nil || !strings.HasPrefix(err.Error(), "step inner") || strings.Contains(err.Error(), "make outer") {
		t.Errorf("got %v, want the inner step alone", err)
	}
}

func TestProcessesTakeTurns(t *testing.T) {
	dir, runs := t.TempDir(), 0
	one := &Runner{Stamps: filepath.Join(dir, "stamps"), Out: &bytes.Buffer{}}
	var said bytes.Buffer
	two := &Runner{Stamps: one.Stamps, Out: &said}
	s := counter(dir, &runs)
	slow := s
	started := make(chan struct{})
	slow.Do = func(ctx context.Context) error {
		close(started)
		time.Sleep(100 * time.Millisecond)
		return s.Do(ctx)
	}
	done := make(chan error)
	go func() { done <- one.Run(context.Background(), slow) }()
	<-started
	if err := two.Run(context.Background(), s); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if runs != 1 || !strings.Contains(said.String(), "another process") || !strings.Contains(said.String(), "up to date") {
		t.Errorf("%d runs, and the second said %q; want one run, and that it waited and then had nothing to do", runs, said.String())
	}
}
