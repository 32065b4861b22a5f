package main

import (
	"fmt"
	"testing"
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
