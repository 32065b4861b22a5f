package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"sidecar-node/images/probe/record"
)

// TestMain lets the test binary be the probe.
func TestMain(m *testing.M) {
	if os.Getenv("PROBE_TEST_MAIN") != "" {
		main()
	}
	os.Exit(m.Run())
}

// node is a folder with a journal and the containers that share it.
type node struct {
	*testing.T
	dir string
}

func newNode(t *testing.T) *node { return &node{t, t.TempDir()} }

func (n *node) start(name string, args ...string) *exec.Cmd {
	n.Helper()
	cmd := n.command(name, args...)
	if err := cmd.Start(); err != nil {
		n.Fatal(err)
	}
	n.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	return cmd
}

func (n *node) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], args...)
	cmd.Stderr = os.Stderr
	cmd.Env = append(os.Environ(), "PROBE_TEST_MAIN=1", "PROBE_CONTAINER="+name, "PROBE_JOURNAL="+n.dir, "PROBE_POD="+n.Name())
	return cmd
}

// journal is the text of the records: who, run, what.
func (n *node) journal() []string {
	n.Helper()
	records, err := record.Read(n.dir)
	if err != nil {
		n.Fatal(err)
	}
	var lines []string
	for _, r := range records {
		line := fmt.Sprintf("%s#%d %s", r.Container, r.Run, r.Event)
		if r.Code != nil {
			line += fmt.Sprint(" ", *r.Code)
		}
		if r.Signal != "" {
			line += " " + r.Signal
		}
		if r.Hook != "" {
			line += " " + r.Hook
		}
		lines = append(lines, line)
	}
	return lines
}

// await waits until the journal has the line.
func (n *node) await(line string) {
	n.Helper()
	deadline := time.Now().Add(10 * time.Second)
	for time.Now().Before(deadline) {
		for _, l := range n.journal() {
			if l == line {
				return
			}
		}
		time.Sleep(5 * time.Millisecond)
	}
	n.Fatalf("no line %q in the journal:\n%s", line, strings.Join(n.journal(), "\n"))
}

func (n *node) want(lines ...string) {
	n.Helper()
	got, want := strings.Join(n.journal(), "\n"), strings.Join(lines, "\n")
	if got != want {
		n.Errorf("journal:\n%s\nwant:\n%s", got, want)
	}
}

func code(cmd *exec.Cmd) int {
	_ = cmd.Wait()
	return cmd.ProcessState.ExitCode()
}

func TestExitCodesAndTimesByRun(t *testing.T) {
	n := newNode(t)
	args := []string{"--ready-after", "never", "--exit-after", "10ms,20ms", "--exit-code", "1,7,0"}
	for run, want := range []int{1, 7, 0, 0} {
		if got := code(n.start("app", args...)); got != want {
			t.Errorf("run %d: exit code %d, want %d", run+1, got, want)
		}
	}
	n.want("app#1 start", "app#1 exit 1", "app#2 start", "app#2 exit 7",
		"app#3 start", "app#3 exit 0", "app#4 start", "app#4 exit 0")
}

func TestExitWhenAFileExists(t *testing.T) {
	n := newNode(t)
	file := filepath.Join(n.dir, "crash")
	args := []string{"--exit-when", file + ",", "--exit-code", "1"}
	first := n.start("app", args...)
	n.await("app#1 ready")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if got := code(first); got != 1 {
		t.Errorf("exit code %d, want 1", got)
	}
	// The second run has no file to look for.
	n.start("app", args...)
	n.await("app#2 ready")
	time.Sleep(5 * fileEvery)
	n.want("app#1 start", "app#1 ready", "app#1 exit 1", "app#2 start", "app#2 ready")
}

func TestReadiness(t *testing.T) {
	n := newNode(t)
	file := filepath.Join(n.dir, "go")
	n.start("proxy", "--ready-when", file)
	n.await("proxy#1 start")
	if n.command("proxy", "ready").Run() == nil {
		t.Error("ready before the file exists")
	}
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	n.await("proxy#1 ready")
	// The record comes just before the change becomes visible.
	deadline := time.Now().Add(5 * time.Second)
	for n.command("proxy", "ready").Run() != nil {
		if time.Now().After(deadline) {
			t.Fatal("not ready although the journal says so")
		}
	}
	if n.command("other", "ready").Run() == nil {
		t.Error("a container without a process is ready")
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	n.await("proxy#1 unready")
}

func TestTerm(t *testing.T) {
	t.Run("exit", func(t *testing.T) {
		n := newNode(t)
		cmd := n.start("app", "--on-term", "exit", "--term-code", "143")
		n.await("app#1 ready")
		_ = cmd.Process.Signal(syscall.SIGTERM)
		if got := code(cmd); got != 143 {
			t.Errorf("exit code %d, want 143", got)
		}
		n.want("app#1 start", "app#1 ready", "app#1 signal TERM", "app#1 exit 143")
	})
	t.Run("delay", func(t *testing.T) {
		n := newNode(t)
		// While it stops, its own end does not come.
		cmd := n.start("app", "--on-term", "delay:200ms", "--exit-after", "250ms", "--exit-code", "9")
		n.await("app#1 ready")
		start := time.Now()
		_ = cmd.Process.Signal(syscall.SIGTERM)
		if got := code(cmd); got != 0 {
			t.Errorf("exit code %d, want 0", got)
		}
		if took := time.Since(start); took < 200*time.Millisecond {
			t.Errorf("took %v to stop, want at least 200ms", took)
		}
	})
	t.Run("ignore", func(t *testing.T) {
		n := newNode(t)
		cmd := n.start("app", "--on-term", "ignore")
		n.await("app#1 ready")
		_ = cmd.Process.Signal(syscall.SIGTERM)
		n.await("app#1 signal TERM")
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		n.want("app#1 start", "app#1 ready", "app#1 signal TERM", "app#1 gone")
	})
}

func TestHookBelongsToTheRun(t *testing.T) {
	n := newNode(t)
	code(n.start("app", "--ready-after", "never", "--exit-after", "0s"))
	n.start("app", "--ready-after", "never")
	n.await("app#2 start")
	if got := code(n.start("app", "hook", "preStop", "--takes", "10ms", "--exit-code", "2")); got != 2 {
		t.Errorf("exit code %d, want 2", got)
	}
	n.want("app#1 start", "app#1 exit 0", "app#2 start", "app#2 hook-start preStop", "app#2 hook-end 2 preStop")
}

func TestCallsAreCountedWhileItStops(t *testing.T) {
	n := newNode(t)
	var served, refuse int
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if served++; served == 2 {
			refuse++
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
	defer server.Close()
	cmd := n.start("app", "--call", server.URL, "--call-every", "10ms", "--on-term", "delay:200ms")
	n.await("app#1 call-failed")
	_ = cmd.Process.Signal(syscall.SIGTERM)
	code(cmd)
	records, err := record.Read(n.dir)
	if err != nil {
		t.Fatal(err)
	}
	last := records[len(records)-1]
	var atTerm record.Calls
	for _, r := range records {
		if r.Event == record.Signal {
			atTerm = *r.Calls
		}
	}
	if last.Event != record.Exit || last.Calls.Failed != 1 || last.Calls.OK <= atTerm.OK || last.Calls.OK+1 != served {
		t.Errorf("at TERM %+v, last record %+v, served %d", atTerm, last, served)
	}
}

func TestServe(t *testing.T) {
	var r readiness
	server := httptest.NewServer(&r)
	defer server.Close()
	for _, c := range []struct {
		ready bool
		path  string
		want  int
	}{{false, "/", 503}, {false, "/ready", 503}, {false, "/healthz", 200}, {true, "/", 200}, {true, "/ready", 200}} {
		r.set(c.ready)
		resp, err := http.Get(server.URL + c.path)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != c.want {
			t.Errorf("ready %v: %s answers %d, want %d", c.ready, c.path, resp.StatusCode, c.want)
		}
	}
}

func TestReader(t *testing.T) {
	dir := t.TempDir()
	server := httptest.NewServer(readerHandler(dir))
	defer server.Close()
	do := func(method, path string, want int) string {
		t.Helper()
		req, err := http.NewRequest(method, server.URL+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		body, _ := io.ReadAll(resp.Body)
		if resp.StatusCode != want {
			t.Errorf("%s %s: %s (%s), want %d", method, path, resp.Status, body, want)
		}
		return string(body)
	}
	do("GET", "/v1/run-1", 200)
	do("PUT", "/v1/run-1", 200)
	do("PUT", "/v1/run-1/go", 200)
	if !exists(filepath.Join(dir, "run-1", "go")) {
		t.Error("no file after PUT")
	}
	j := record.Open(filepath.Join(dir, "run-1"), record.Identity{Container: "app"}, nil)
	if _, err := j.Start(""); err != nil {
		t.Fatal(err)
	}
	if records, err := record.Parse(strings.NewReader(do("GET", "/v1/run-1", 200))); err != nil || len(records) != 1 {
		t.Errorf("got %v, %v; want one record", records, err)
	}
	do("DELETE", "/v1/run-1/go", 200)
	do("PUT", "/v1/..%2Fescape", 400)
	do("PUT", "/v1/run-1/..%2F..%2Fescape", 400)
	do("GET", "/v1/run-*", 400)
	do("DELETE", "/v1/run-*", 200)
	if exists(filepath.Join(dir, "run-1")) {
		t.Error("the folder is still there after DELETE")
	}
}

func TestBadArguments(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"fly", "unknown subcommand"},
		{"--on-term later", "want ignore, exit or delay"},
		{"--exit-after -1s", "negative"},
		{"--call-every 0s", "above 0"},
		{"run extra", "unexpected argument"},
		{"hook", "name of the hook"},
		{"dump", "want one folder"},
	} {
		var out bytes.Buffer
		code, err := dispatch(strings.Fields(c.args), &out)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("probe %s: code %d, error %v; want an error with %q", c.args, code, err, c.want)
		}
	}
}
