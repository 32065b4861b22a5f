package timeline

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sidecar-node/images/probe/record"
)

var update = flag.Bool("update", false, "write the golden files")

// TestText draws the recorded journals. After a change of the drawing, look at
// what go test ./e2e/timeline -update writes.
func TestText(t *testing.T) {
	for _, name := range []string{"ordered", "unordered", "deaf"} {
		t.Run(name, func(t *testing.T) {
			got := Text(read(t, name))
			golden := filepath.Join("testdata", name+".txt")
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

func read(t *testing.T, name string) []record.Record {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "journal", "testdata", name+".jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	records, err := record.Parse(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return records
}

func TestLogsWithoutAJournalAreSortedByTheClock(t *testing.T) {
	// Two containers that each count from 1, as kubectl logs prints them.
	logs := `
{"seq":1,"container":"app","run":1,"event":"start","pod":"p","mono":2000000000,"wall":"2026-11-30T12:00:02Z"}
{"seq":2,"container":"app","run":1,"event":"exit","code":0,"pod":"p","mono":4000000000,"wall":"2026-11-30T12:00:04Z"}
a line of another program
{"seq":1,"container":"proxy","run":1,"event":"start","pod":"p","mono":1000000000,"wall":"2026-11-30T12:00:01Z"}
{"seq":2,"container":"proxy","run":1,"event":"signal","signal":"TERM","pod":"p","mono":5000000000,"wall":"2026-11-30T12:00:05Z"}
`
	var out strings.Builder
	if err := FromLogs(&out, strings.NewReader(logs)); err != nil {
		t.Fatal(err)
	}
	want := `pod p
             proxy  app
   +0.000 s  start
   +1.000 s  |      start
   +3.000 s  |      exit 0
   +4.000 s  TERM
`
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
}

func TestLogsWithoutRecords(t *testing.T) {
	if err := FromLogs(&strings.Builder{}, strings.NewReader("nothing here\n")); err == nil {
		t.Error("no error for logs without records")
	}
}

func TestPodsAreDrawnApart(t *testing.T) {
	records := []record.Record{
		{Seq: 1, Pod: "a", Container: "app", Run: 1, Event: record.Start},
		{Seq: 2, Pod: "b", Container: "app", Run: 1, Event: record.Start},
		{Seq: 3, Pod: "a", Container: "app", Run: 1, Event: record.Ready},
	}
	pods := Pods(records)
	if len(pods) != 2 || len(pods[0].Records) != 2 || len(pods[1].Records) != 1 {
		t.Errorf("got %+v", pods)
	}
}
