package record

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestMain lets the test binary play a process that is killed while it lives.
func TestMain(m *testing.M) {
	if dir := os.Getenv("RECORD_TEST_LIVE_IN"); dir != "" {
		j := Open(dir, Identity{Pod: "pod", UID: "1", Container: "victim"}, nil)
		if _, err := j.Start(""); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		fmt.Println("started")
		time.Sleep(time.Hour)
	}
	os.Exit(m.Run())
}

func events(records []Record) string {
	var s []string
	for _, r := range records {
		s = append(s, fmt.Sprintf("%d %s#%d %s", r.Seq, r.Container, r.Run, r.Event))
	}
	return strings.Join(s, "\n")
}

func TestManyWritersShareOneCount(t *testing.T) {
	dir := t.TempDir()
	var wg sync.WaitGroup
	for w := range 8 {
		wg.Go(func() {
			j := Open(dir, Identity{Pod: "pod", Container: fmt.Sprint("c", w)}, nil)
			for range 20 {
				if err := j.Append(Record{Event: Signal}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	records, err := Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(records) != 160 {
		t.Fatalf("got %d records, want 160", len(records))
	}
	for i, r := range records {
		if r.Seq != int64(i+1) {
			t.Fatalf("record %d has number %d", i+1, r.Seq)
		}
	}
}

func TestRunsAreCountedByPodAndContainer(t *testing.T) {
	dir := t.TempDir()
	for _, id := range []Identity{{"pod", "1", "app"}, {"pod", "1", "app"}, {"pod", "1", "proxy"}, {"pod", "2", "app"}} {
		j := Open(dir, id, nil)
		if _, err := j.Start(""); err != nil {
			t.Fatal(err)
		}
		if err := j.Append(Record{Event: Exit}); err != nil {
			t.Fatal(err)
		}
		j.alive.Close()
	}
	records, err := Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	want := "1 app#1 start\n2 app#1 exit\n3 app#2 start\n4 app#2 exit\n5 proxy#1 start\n6 proxy#1 exit\n7 app#1 start\n8 app#1 exit"
	if got := events(records); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestAKilledProcessIsGoneBeforeTheNextRecord(t *testing.T) {
	dir := t.TempDir()
	victim := exec.Command(os.Args[0])
	victim.Env = append(os.Environ(), "RECORD_TEST_LIVE_IN="+dir)
	victim.Stderr = os.Stderr
	out, err := victim.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := victim.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := out.Read(make([]byte, 8)); err != nil {
		t.Fatal(err)
	}
	j := Open(dir, Identity{Pod: "pod", UID: "1", Container: "proxy"}, nil)
	if err := j.Append(Record{Event: Ready}); err != nil {
		t.Fatal(err)
	}
	if err := victim.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = victim.Wait()
	if err := j.Append(Record{Event: Signal}); err != nil {
		t.Fatal(err)
	}
	if err := Notice(dir); err != nil {
		t.Fatal(err)
	}
	records, err := Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	want := "1 victim#1 start\n2 proxy#1 ready\n3 victim#1 gone\n4 proxy#1 signal"
	if got := events(records); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if left, _ := os.ReadDir(filepath.Join(dir, aliveDir)); len(left) != 0 {
		t.Errorf("lifetime files left: %v", left)
	}
}

func TestATornLineIsDropped(t *testing.T) {
	dir := t.TempDir()
	j := Open(dir, Identity{Container: "app"}, nil)
	if err := j.Append(Record{Event: Start}); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(filepath.Join(dir, FileName), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprint(f, `{"seq":2,"contai`)
	f.Close()
	if err := j.Append(Record{Event: Exit}); err != nil {
		t.Fatal(err)
	}
	records, err := Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := events(records), "1 app#1 start\n2 app#1 exit"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestWithoutAFolderLinesGoToTheEcho(t *testing.T) {
	var out bytes.Buffer
	j := Open("", Identity{Pod: "p", Container: "app"}, &out)
	if _, err := j.Start("hello"); err != nil {
		t.Fatal(err)
	}
	code := 3
	if err := j.Append(Record{Event: Exit, Code: &code}); err != nil {
		t.Fatal(err)
	}
	fmt.Fprintln(&out, "a line of another program")
	records, err := Parse(&out)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := events(records), "1 app#1 start\n2 app#1 exit"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if *records[1].Code != 3 || records[0].Mono == 0 || records[0].Wall.IsZero() {
		t.Errorf("incomplete records: %+v", records)
	}
}

func TestParseNamesTheBadLine(t *testing.T) {
	_, err := Parse(strings.NewReader("hello\n{\"seq\":\"x\"}\n"))
	if err == nil || !strings.Contains(err.Error(), "line 2") {
		t.Errorf("got %v, want an error that names line 2", err)
	}
}

func TestNoticeWritesDownADeath(t *testing.T) {
	dir := t.TempDir()
	if err := Notice(dir); err != nil {
		t.Fatal(err)
	}
	j := Open(dir, Identity{Container: "app"}, nil)
	if _, err := j.Start(""); err != nil {
		t.Fatal(err)
	}
	journal := func() string {
		data, err := os.ReadFile(filepath.Join(dir, FileName))
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	if err := Notice(dir); err != nil || strings.Contains(journal(), string(Gone)) {
		t.Fatalf("a living process is gone: %v\n%s", err, journal())
	}
	j.alive.Close()
	if err := Notice(dir); err != nil || !strings.Contains(journal(), string(Gone)) {
		t.Fatalf("a dead process is not gone: %v\n%s", err, journal())
	}
}
