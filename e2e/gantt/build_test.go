package gantt

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"sidecar-node/e2e/artifact"
	"sidecar-node/e2e/role"
	"sidecar-node/e2e/timeline"
	"sidecar-node/images/probe/record"
)

var appAndProxy = []role.Container{{Name: "proxy", Role: role.Sidecar}, {Name: "app", Role: role.App}}

// zero is when the records of the tests begin.
var zero = time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)

// happen makes records of lines such as "1.5 app exit 3".
func happen(t *testing.T, lines ...string) []record.Record {
	t.Helper()
	var records []record.Record
	runs := map[string]int{}
	for i, line := range lines {
		var seconds float64
		var container, event, more string
		if _, err := fmt.Sscan(line+" -", &seconds, &container, &event, &more); err != nil {
			t.Fatal(line, err)
		}
		at := time.Duration(seconds * float64(time.Second))
		r := record.Record{Seq: int64(i + 1), Pod: "pod", Container: container, Event: record.Event(event), Mono: int64(at), Wall: zero.Add(at)}
		switch r.Event {
		case record.Start:
			runs[container]++
		case record.Signal:
			r.Signal = more
		case record.HookStart, record.HookEnd:
			r.Hook = more
		case record.Exit:
			code := 0
			_, _ = fmt.Sscan(more, &code)
			r.Code = &code
		}
		r.Run = max(1, runs[container])
		records = append(records, r)
	}
	return records
}

// told prints a lane as "state from-to" and "mark@at", in seconds from the start.
func told(c Chart, l Lane) string {
	since := func(t time.Time) string { return fmt.Sprintf("%g", round(t.Sub(c.Start).Seconds())) }
	var words []string
	for _, s := range slices.Concat(l.Segments, l.Hooks) {
		what := string(s.State)
		if s.State == Hook {
			what = s.Text
		}
		to := since(s.To)
		if s.Open {
			to = ""
		}
		words = append(words, what+" "+since(s.From)+"-"+to)
	}
	for _, m := range l.Marks {
		words = append(words, string(m.Kind)+"@"+since(m.At))
	}
	return strings.Join(words, ", ")
}

func lane(t *testing.T, c Chart, name string) Lane {
	t.Helper()
	for _, l := range c.Lanes {
		if l.Container == name {
			return l
		}
	}
	t.Fatalf("no lane %s in %+v", name, c)
	return Lane{}
}

func TestLanes(t *testing.T) {
	for _, c := range []struct {
		name             string
		lines            []string
		proxy, app, gate string
	}{
		{"in order", []string{
			"0 proxy start", "1 proxy ready", "2 app start", "2.5 app ready", "4 app signal TERM", "5 app exit 0", "5 proxy hook-start preStop", "6 proxy hook-end preStop", "6 proxy signal TERM", "7 proxy exit 143",
		}, "not-ready 0-1, ready 1-5, stopping 5-7, preStop 5-6, term@6, exit@7", "not-ready 2-2.5, ready 2.5-4, stopping 4-5, term@4, exit@5", "gate-closed 0-2, gate-open 2-5"},
		{"the app never starts", []string{"0 proxy start", "3 proxy signal TERM", "4 proxy exit 0"},
			"not-ready 0-3, stopping 3-4, term@3, exit@4", "", "gate-closed 0-4"},
		{"the app still waits", []string{"0 proxy start", "3 proxy unready"}, "not-ready 0-", "", "gate-closed 0-"},
		{"a crash of the app leaves the gate open", []string{"0 proxy start", "1 proxy ready", "1 app start", "2 app exit 1", "3 app start", "4 app ready"},
			"not-ready 0-1, ready 1-", "not-ready 1-2, not-ready 3-4, ready 4-, exit-failed@2", "gate-closed 0-1, gate-open 1-"},
		{"a crash of the sidecar leaves it open, too", []string{"0 proxy start", "1 app start", "2 proxy gone", "3 proxy start", "4 app exit 0"},
			"not-ready 0-2, not-ready 3-, killed@2", "not-ready 1-4, exit@4", "gate-closed 0-1, gate-open 1-4"},
		{"an app that is down while everything is", []string{"0 proxy start", "1 app start", "2 proxy exit 0", "3 app exit 1", "5 app start"},
			"not-ready 0-2, exit@2", "not-ready 1-3, not-ready 5-, exit-failed@3", "gate-closed 0-1, gate-open 1-3, gate-open 5-"},
		{"a sidecar that crashes before keeps it closed", []string{"0 proxy start", "1 proxy exit 1", "2 proxy start", "3 app start"},
			"not-ready 0-1, not-ready 2-, exit-failed@1", "not-ready 3-", "gate-closed 0-3, gate-open 3-"},
		{"a pod that starts over", []string{"0 proxy start", "1 app start", "2 app gone", "2 proxy gone", "3 proxy start", "5 app start"},
			"not-ready 0-2, not-ready 3-, killed@2", "not-ready 1-2, not-ready 5-, killed@2", "gate-closed 0-1, gate-open 1-2, gate-closed 3-5, gate-open 5-"},
		{"the app comes first", []string{"0 app start", "1 proxy start", "2 app exit 0"},
			"not-ready 1-", "not-ready 0-2, exit@2", "gate-open 0-0, gate-open 0-2"},
		{"unready, and a hook that is cut off", []string{"0 proxy hook-start postStart", "0 proxy start", "1 proxy ready", "2 proxy unready", "3 proxy gone"},
			"not-ready 0-1, ready 1-2, not-ready 2-3, postStart 0-3, killed@3", "", "gate-closed 0-3"},
		{"what stops, stops, and other signals say nothing", []string{"0 app start", "1 app signal INT", "2 app signal TERM", "3 app ready", "4 app exit 143"},
			"", "not-ready 0-2, stopping 2-4, signal@1, term@2, exit@4", "gate-open 0-0, gate-open 0-4"},
	} {
		t.Run(c.name, func(t *testing.T) {
			chart := Build(Pod{Name: "pod", Records: happen(t, c.lines...), Containers: appAndProxy})
			for name, want := range map[string]string{"proxy": c.proxy, "app": c.app} {
				if got := told(chart, lane(t, chart, name)); got != want {
					t.Errorf("%s: got %s, want %s", name, got, want)
				}
			}
			if got := told(chart, *chart.Gate); got != c.gate {
				t.Errorf("gate: got %s, want %s", got, c.gate)
			}
		})
	}
}

// The recordings are journals of real probes.
func TestRecordings(t *testing.T) {
	for name, want := range map[string]string{
		"ordered":   "exit",
		"unordered": "term exit",
		"deaf":      "exit-failed term killed",
	} {
		records := recording(t, name)
		chart := Build(Pod{Name: "demo", Records: records, Containers: appAndProxy})
		var kinds []string
		for _, m := range lane(t, chart, "app").Marks {
			if m.Kind != CallFailed {
				kinds = append(kinds, string(m.Kind))
			}
		}
		if got := strings.Join(kinds, " "); got != want {
			t.Errorf("%s: the marks of app are %s, want %s", name, got, want)
		}
		if closed := chart.Gate.Segments[0].State == GateClosed; closed != (name != "unordered") {
			t.Errorf("%s: the gate begins with %+v", name, chart.Gate.Segments[0])
		}
	}
}

// recording reads one of the recorded journals.
func recording(t *testing.T, name string) []record.Record {
	t.Helper()
	records, err := artifact.ReadRecords("../journal/testdata/" + name + ".jsonl")
	if err != nil || len(records) == 0 {
		t.Fatalf("%d records, %v", len(records), err)
	}
	return timeline.Pods(records)[0].Records
}

func TestWithoutRolesThereIsNoGate(t *testing.T) {
	chart := Build(Pod{Name: "pod", Records: happen(t, "0 proxy start", "1 app start")})
	if chart.Gate != nil || lane(t, chart, "app").Role != role.Unknown {
		t.Errorf("got %+v", chart)
	}
	if chart := Build(Pod{Name: "pod"}); len(chart.Lanes) != 0 || !chart.Start.IsZero() {
		t.Errorf("an empty journal: got %+v", chart)
	}
}

func TestABootSetsTheClockBack(t *testing.T) {
	records := happen(t, "0 proxy start", "1 app start", "20 proxy start", "21 app start")
	for i := range records[2:] {
		records[2+i].Mono = int64(i)
	}
	chart := Build(Pod{Name: "pod", Records: records, Containers: appAndProxy})
	if got := chart.End.Sub(chart.Start); got != 21*time.Second {
		t.Errorf("the chart spans %v, want 21 s by the clock on the wall", got)
	}
}

func TestReadinessThatNobodyKnows(t *testing.T) {
	chart := Build(Pod{Name: "pod", Records: happen(t, "0 app start", "2 app exit 0"), Vague: map[string]bool{"app": true}})
	if got := told(chart, lane(t, chart, "app")); got != "running 0-2, exit@2" {
		t.Errorf("got %s", got)
	}
}

func TestTooMuchIsBounded(t *testing.T) {
	var lines []string
	for i := range 5000 {
		lines = append(lines, fmt.Sprintf("%d app start", 10*i), fmt.Sprintf("%d app ready", 10*i+1), fmt.Sprintf("%d app call-failed", 10*i+2), fmt.Sprintf("%d app exit 1", 10*i+3))
	}
	l := lane(t, Build(Pod{Name: "pod", Records: happen(t, lines...)}), "app")
	if len(l.Segments) != maxSegments+1 || len(l.Marks) > maxMarks {
		t.Fatalf("%d segments and %d marks", len(l.Segments), len(l.Marks))
	}
	if many := l.Segments[maxSegments/2]; many.State != Many || !strings.Contains(many.Text, "9880 states") {
		t.Errorf("got %+v in the middle", many)
	}
	count := 0
	for _, m := range l.Marks {
		count += m.Count
	}
	if count != 10000 {
		t.Errorf("the marks stand for %d things, want 10000", count)
	}
	if got := cut(strings.Repeat("ä", 200), 301); !strings.HasPrefix(got, strings.Repeat("ä", 150)+" … (100 more") {
		t.Errorf("got %s", got)
	}
}
