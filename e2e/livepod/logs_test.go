package livepod

import (
	"fmt"
	"testing"

	"sidecar-node/e2e/timeline"
	"sidecar-node/images/probe/record"
)

func line(second int, event record.Event) string {
	return fmt.Sprintf(`{"seq":1,"container":"told","run":1,"event":%q,"mono":1,"wall":%q}`+"\n", event, at(second))
}

func TestProbeRecords(t *testing.T) {
	for name, c := range map[string]struct {
		logs []string
		runs int
		want string
	}{
		"two runs of three":  {[]string{"hello\n" + line(1, record.Start), line(3, record.Start) + line(4, record.Ready)}, 3, "1 app start run 2, 3 app start run 3, 4 app ready run 3"},
		"a line cut off":     {[]string{line(1, record.Start) + `{"seq":2,"cont`}, 1, "1 app start"},
		"no probe":           {[]string{"hello\n"}, 1, ""},
		"foreign JSON":       {[]string{`{"seq":1,"msg":"x"}` + "\n"}, 1, ""},
		"JSON of other type": {[]string{`{"seq":"one"}` + "\n"}, 1, ""},
		"an empty log":       {[]string{""}, 1, ""},
		"nothing":            {nil, 1, ""},
	} {
		var logs [][]byte
		for _, l := range c.logs {
			logs = append(logs, []byte(l))
		}
		if got := told(probeRecords("app", logs, c.runs)); got != c.want {
			t.Errorf("%s: got %s, want %s", name, got, c.want)
		}
	}
}

func TestTheStatusHasTheLastWordOfTheKilled(t *testing.T) {
	log := probeRecords("app", [][]byte{[]byte(line(1, record.Start) + line(4, record.Signal)), []byte(line(6, record.Start) + line(9, record.Exit))}, 2)
	end := func(second, run int) record.Record {
		return record.Record{Container: "app", Run: run, Event: record.Gone, Wall: moment(at(second))}
	}
	known := []record.Record{
		{Container: "app", Run: 1, Event: record.Start, Wall: moment(at(1))},
		end(5, 1), end(9, 2),
		{Container: "other", Run: 1, Event: record.Start, Wall: moment(at(2))},
	}
	records := merge(known, map[string][]record.Record{"app": log}, "pod", "u1")
	if got, want := told(records), "1 app start, 2 other start, 4 app signal, 5 app gone, 6 app start run 2, 9 app exit run 2"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if pods := timeline.Pods(records); len(pods) != 1 || pods[0].UID != "u1" {
		t.Errorf("these are %d pods, want one", len(pods))
	}
	// The status is as exact as a second, the order of what was written down is not in doubt.
	known[1] = end(3, 1)
	if got, want := told(merge(known[:2], map[string][]record.Record{"app": log}, "pod", "u1")), "1 app start, 4 app signal, 4 app gone, 6 app start run 2, 9 app exit run 2"; got != want {
		t.Errorf("too early: got  %s\nwant %s", got, want)
	}
	known[1] = end(7, 1)
	if got, want := told(merge(known[:2], map[string][]record.Record{"app": log}, "pod", "u1")), "1 app start, 4 app signal, 5 app gone, 6 app start run 2, 9 app exit run 2"; got != want {
		t.Errorf("too late: got  %s\nwant %s", got, want)
	}
}
