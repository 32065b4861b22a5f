package bench

import (
	"strings"
	"testing"
	"time"

	"sidecar-node/e2e/journal"
	"sidecar-node/images/probe/record"
)

// recorded is the journal of a pod with two sidecars, one record a word: the time in
// milliseconds, the container and the event.
func recorded(t *testing.T, text string) pod {
	t.Helper()
	var records []record.Record
	for word := range strings.FieldsSeq(text) {
		at, rest, _ := strings.Cut(word, ":")
		container, event, _ := strings.Cut(rest, ":")
		mono, err := time.ParseDuration(at + "ms")
		if err != nil {
			t.Fatal(err)
		}
		r := record.Record{Seq: int64(len(records) + 1), Pod: "pod", Container: container, Run: 1, Event: record.Event(event), Mono: int64(mono)}
		code := 0
		switch event {
		case "term":
			r.Event, r.Signal = record.Signal, "TERM"
		case "exit":
			r.Code = &code
		case "exit1":
			code = 1
			r.Event, r.Code = record.Exit, &code
		}
		records = append(records, r)
	}
	return pod{journal.New(records), 2}
}

const whole = "100:sidecar-1:start 130:sidecar-2:start 900:sidecar-2:ready 950:sidecar-1:ready 1200:app:start 1201:app:ready " +
	"2500:app:exit 2600:sidecar-2:term 2650:sidecar-1:term 2651:sidecar-2:exit 2652:sidecar-1:exit"

func TestTimes(t *testing.T) {
	p := recorded(t, whole)
	for _, c := range []struct {
		name string
		read func() (time.Duration, error)
		want time.Duration
	}{
		{"first start to start of the app", p.start, 1100 * time.Millisecond},
		{"last ready to start of the app", p.readyToStart, 250 * time.Millisecond},
		{"exit to TERM at sidecar-1", p.exitToTerm, 150 * time.Millisecond},
	} {
		if got, err := c.read(); err != nil || got != c.want {
			t.Errorf("%s: got %v, %v, want %v", c.name, got, err, c.want)
		}
	}
	p.sidecars = 0
	if got, err := p.start(); err != nil || got != 0 {
		t.Errorf("no sidecars: got %v, %v", got, err)
	}
	if _, err := p.readyToStart(); err == nil {
		t.Error("no sidecars, but one was ready")
	}
}

func TestAPodThatMeasuresSomethingElse(t *testing.T) {
	for name, c := range map[string]struct {
		old, new string
		read     func(pod) error
	}{
		"the app never starts":      {"1200:app:start", "", startOf},
		"a sidecar starts twice":    {"900:", "800:sidecar-1:gone 850:sidecar-1:start 900:", startOf},
		"a sidecar is missing":      {"130:sidecar-2:start", "", readyOf},
		"a sidecar is never ready":  {"950:sidecar-1:ready", "", readyOf},
		"the app starts too early":  {"1200:app:start", "920:app:start", readyOf},
		"the app does not end":      {"2500:app:exit", "", termOf},
		"the app fails":             {"2500:app:exit", "2500:app:exit1", termOf},
		"the app is killed":         {"2500:app:exit", "2500:app:gone", termOf},
		"the sidecar gets no TERM":  {"2650:sidecar-1:term", "", termOf},
		"the sidecar gets it first": {"2500:app:exit 2600:sidecar-2:term 2650:sidecar-1:term", "2400:sidecar-1:term 2500:app:exit", termOf},
	} {
		if !strings.Contains(whole, c.old) {
			t.Fatalf("%s: %q is not in the journal", name, c.old)
		}
		if err := c.read(recorded(t, strings.Replace(whole, c.old, c.new, 1))); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func startOf(p pod) error { _, err := p.start(); return err }
func readyOf(p pod) error { _, err := p.readyToStart(); return err }
func termOf(p pod) error  { _, err := p.exitToTerm(); return err }
