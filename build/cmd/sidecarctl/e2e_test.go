package main

import (
	"errors"
	"fmt"
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
	dir := filepath.Join(t.TempDir(), "e2e")
	var out strings.Builder
	round := 0
	total, err := eachRound(3, &out, func(suffix string) (e2erun.Summary, error) {
		round++
		if err := os.Mkdir(dir, 0o755); err != nil && !errors.Is(err, os.ErrExist) {
			t.Fatal(err)
		}
		if round == 2 {
			return e2erun.Summary{Passed: 1, Failed: 1}, errors.Join(errors.New("one failed"), keep(dir, suffix))
		}
		return e2erun.Summary{Passed: 2}, nil
	})
	if total.Passed != 5 || total.Failed != 1 || err == nil || !strings.Contains(err.Error(), "round 2: one failed") {
		t.Errorf("got %v, %v", total, err)
	}
	if !strings.Contains(out.String(), "1 of 3 rounds failed") || !exists(dir+"-round-2") || exists(dir+"-round-1") {
		t.Errorf("got %s", out.String())
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
