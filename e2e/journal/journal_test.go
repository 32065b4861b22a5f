package journal

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sidecar-node/images/probe/record"
)

// The recordings in testdata are journals of real probes: ordered is how the
// sidecar contract wants it, unordered is how plain containers behave, and in
// deaf nobody obeys TERM and the app has crashed once before.
func recorded(t *testing.T, name string) Timeline {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name+".jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	records, err := record.Parse(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return New(records)
}

func TestPredicates(t *testing.T) {
	// ok holds the recordings for which the judgement is nil.
	for _, c := range []struct {
		name  string
		ok    string
		judge func(Timeline) error
	}{
		{"proxy starts before app", "ordered deaf", func(t Timeline) error { return t.StartsBefore("proxy", "app") }},
		{"proxy is ready before app", "ordered deaf", func(t Timeline) error { return t.ReadyBefore("proxy", "app") }},
		{"app exits before proxy", "ordered deaf", func(t Timeline) error { return t.ExitsBefore("app", "proxy") }},
		{"app exits before proxy is asked to stop", "ordered deaf", func(t Timeline) error { return t.ExitsBeforeStopOf("app", "proxy") }},
		{"proxy exits before app is asked to stop", "", func(t Timeline) error { return t.ExitsBeforeStopOf("proxy", "app") }},
		{"app runs once", "ordered unordered", func(t Timeline) error { return t.RunsOnce("app") }},
		{"app runs twice", "deaf", func(t Timeline) error { return t.Runs("app", 2) }},
		{"app never starts", "", func(t Timeline) error { return t.NeverStarted("app") }},
		{"somebody else never starts", "ordered unordered deaf", func(t Timeline) error { return t.NeverStarted("other") }},
		{"preStop runs once", "ordered", func(t Timeline) error { return t.HookRunsOnce("proxy", "preStop") }},
		{"preStop comes before TERM", "ordered", func(t Timeline) error { return t.Before(HookEnd("proxy", "preStop"), Term("proxy")) }},
		{"app is never asked to stop", "ordered", func(t Timeline) error { return t.NeverAskedToStop("app") }},
		{"proxy exits with 143", "ordered", func(t Timeline) error { return t.ExitsWith("proxy", 143) }},
		{"proxy is killed", "deaf", func(t Timeline) error { return t.WasKilled("proxy") }},
		{"every call succeeds", "ordered", func(t Timeline) error { return t.EveryCallSucceeds("app") }},
		{"every call of a silent container succeeds", "", func(t Timeline) error { return t.EveryCallSucceeds("proxy") }},
		{"app calls while it stops", "unordered", func(t Timeline) error { return t.CallsWhileStopping("app") }},
		{"app crashes before its second start", "deaf", func(t Timeline) error { return t.Before(End("app").Run(1), Start("app").Run(2)) }},
		{"the last start comes after the first end", "deaf", func(t Timeline) error { return t.Before(End("app"), Start("app").Last()) }},
		{"proxy is ready between its start and the app's", "ordered deaf", func(t Timeline) error { return t.Between(Start("proxy"), Ready("proxy"), Start("app")) }},
		{"app starts again between its first end and its last", "deaf", func(t Timeline) error { return t.Between(End("app"), Start("app"), End("app").Last()) }},
		{"app starts between its end and the proxy's", "deaf", func(t Timeline) error { return t.Between(End("app"), Start("app"), End("proxy")) }},
		{"start to start within 600 ms", "ordered unordered deaf", func(t Timeline) error { return t.Within(Start("proxy"), Start("app"), 600*time.Millisecond) }},
		{"ready to start within 45 ms", "ordered unordered deaf", func(t Timeline) error { return t.Within(Ready("proxy"), Start("app"), 45*time.Millisecond) }},
		{"ready to start within 35 ms", "unordered deaf", func(t Timeline) error { return t.Within(Ready("proxy"), Start("app"), 35*time.Millisecond) }},
	} {
		for _, name := range []string{"ordered", "unordered", "deaf"} {
			tl := recorded(t, name)
			err := c.judge(tl)
			if want := strings.Contains(" "+c.ok+" ", " "+name+" "); want != (err == nil) {
				t.Errorf("%s: %s: got error %v, want none: %v", name, c.name, err, want)
			}
			if err != nil && !strings.Contains(err.Error(), tl.String()) {
				t.Errorf("%s: %s: the error lacks the timeline: %v", name, c.name, err)
			}
		}
	}
}

func TestOrderIsJudgedInOnePod(t *testing.T) {
	tl := New([]record.Record{
		{Seq: 1, Pod: "a", Container: "proxy", Run: 1, Event: record.Start},
		{Seq: 2, Pod: "a", Container: "app", Run: 1, Event: record.Start},
		{Seq: 3, Pod: "b", Container: "app", Run: 1, Event: record.Start},
		{Seq: 4, Pod: "b", Container: "proxy", Run: 1, Event: record.Start},
	})
	if err := tl.StartsBefore("proxy", "app"); err == nil || !strings.Contains(err.Error(), "several pods (a, b)") {
		t.Errorf("got %v, want an error that names the pods", err)
	}
	if err := tl.Pod("a").StartsBefore("proxy", "app"); err != nil {
		t.Error(err)
	}
	if err := tl.Pod("b").StartsBefore("proxy", "app"); err == nil {
		t.Error("the order in pod b is wrong and passes")
	}
}

func TestAMissingPointIsAnError(t *testing.T) {
	tl := recorded(t, "ordered")
	for _, err := range []error{
		tl.Before(Start("nobody"), Start("app")),
		tl.Before(Start("app"), Start("nobody")),
		tl.Within(Start("app"), Start("nobody"), time.Hour),
		tl.Between(Start("nobody"), Start("app"), End("app")),
		tl.Between(Start("app"), Start("app"), Start("nobody")),
		tl.ExitsBeforeStopOf("proxy", "app"),
		tl.ExitsWith("nobody", 0),
		tl.WasKilled("nobody"),
	} {
		if err == nil {
			t.Error("no error for a missing point")
		}
	}
}
