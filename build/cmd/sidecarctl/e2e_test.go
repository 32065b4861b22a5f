package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sidecar-node/build/internal/e2erun"
)

func TestGateStates(t *testing.T) {
	for _, c := range []struct {
		gate  string
		given bool
		want  string
	}{
		{"", false, "[on off mixed] <nil>"},
		{"", true, "[on] <nil>"},
		{"off", true, "[off] <nil>"},
		{"mixed", false, "[mixed] <nil>"},
		{"all", false, "[on off mixed] <nil>"},
		{"all", true, "[] --gate all: a cluster has the gate on, off or mixed; say which, or leave out the cluster"},
		{"maybe", false, `[] --gate "maybe": want on, off, mixed or all`},
	} {
		states, err := gateStates(c.gate, c.given)
		if got := fmt.Sprint(states, " ", err); got != c.want {
			t.Errorf("%q, given %v: got %s, want %s", c.gate, c.given, got, c.want)
		}
	}
}

func TestEachRound(t *testing.T) {
	dir := t.TempDir()
	var out strings.Builder
	total, err := eachRound(t.Context(), 3, &out, func(suffix string) (e2erun.Summary, error) {
		output := filepath.Join(dir, "e2e"+suffix)
		if err := os.Mkdir(output, 0o755); err != nil {
			t.Fatal(err)
		}
		summary, err := e2erun.Summary{Passed: 2}, error(nil)
		if suffix == "-round-2" {
			summary, err = e2erun.Summary{Passed: 1, Failed: 1}, errors.New("one failed")
		}
		return summary, errors.Join(err, dropPassed(output, suffix, err))
	})
	if total.Passed != 5 || total.Failed != 1 || err == nil || !strings.Contains(err.Error(), "round 2: one failed") {
		t.Errorf("got %v, %v", total, err)
	}
	left, _ := filepath.Glob(filepath.Join(dir, "*"))
	if !strings.Contains(out.String(), "1 of 3 rounds failed") || len(left) != 1 || filepath.Base(left[0]) != "e2e-round-2" {
		t.Errorf("left %q, printed %s", left, out.String())
	}
}

func TestAnInterruptEndsTheRounds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	rounds := 0
	_, err := eachRound(ctx, 3, io.Discard, func(string) (e2erun.Summary, error) {
		rounds++
		cancel()
		return e2erun.Summary{}, errors.New("ginkgo: exit status 1")
	})
	if rounds != 1 || err == nil {
		t.Errorf("got %d rounds and %v, want one that failed", rounds, err)
	}
}

func TestOneRoundKeepsItsOutput(t *testing.T) {
	dir := t.TempDir()
	if err := dropPassed(dir, "", nil); err != nil || !exists(dir) {
		t.Errorf("got %v, the output is there: %v", err, exists(dir))
	}
}

func TestRepeat(t *testing.T) {
	for want, args := range map[string][]string{
		"make e2e": nil,
		`make e2e ARGS="--gate off --labels 'start || job'"`: {"--gate", "off", "--labels", "start || job"},
	} {
		if got := repeat(args); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
