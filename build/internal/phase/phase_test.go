package phase

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
)

func returns(r Result, err error) func(context.Context) (Result, error) {
	return func(context.Context) (Result, error) { return r, err }
}

func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return lines[len(lines)-1]
}

func TestAllPass(t *testing.T) {
	var out bytes.Buffer
	err := Run(context.Background(), []Phase{
		{Name: "a", Run: returns(Result{Passed: 2, Skipped: 1}, nil)},
		{Name: "b", Needs: "a", Run: returns(Result{Passed: 3}, nil)},
	}, &out)
	if err != nil || lastLine(out.String()) != "5 passed, 0 failed" {
		t.Errorf("got %v and last line %q", err, lastLine(out.String()))
	}
}

func TestFailures(t *testing.T) {
	var out bytes.Buffer
	ran := false
	err := Run(context.Background(), []Phase{
		{Name: "tests", Repeat: "make unit", Run: returns(Result{Passed: 2, Failed: 1, Failures: []string{"TestX"}}, nil)},
		{Name: "image", Repeat: "make image", Run: returns(Result{}, errors.New("disk full"))},
		{Name: "e2e", Repeat: "make e2e", Needs: "image", Run: func(context.Context) (Result, error) { ran = true; return Result{}, nil }},
		{Name: "last", Run: returns(Result{Passed: 1}, nil)},
	}, &out)
	if err == nil || err.Error() != "tests, image, e2e failed" {
		t.Errorf("got %v", err)
	}
	if ran {
		t.Error("a phase ran without what it needs")
	}
	if got := lastLine(out.String()); got != "3 passed, 3 failed" {
		t.Errorf("last line %q", got)
	}
	for _, want := range []string{"TestX", "to repeat: make unit", "disk full", "to repeat: make image", "not run, because it needs image"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
}

func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	var out bytes.Buffer
	err := Run(ctx, []Phase{
		{Name: "first", Run: func(context.Context) (Result, error) { cancel(); return Result{Passed: 1}, nil }},
		{Name: "second", Run: returns(Result{Passed: 1}, nil)},
	}, &out)
	if err == nil || lastLine(out.String()) != "1 passed, 1 failed" {
		t.Errorf("got %v and last line %q", err, lastLine(out.String()))
	}
}
