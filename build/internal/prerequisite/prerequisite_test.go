package prerequisite

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"sidecar-node/build/internal/engine"
	"sidecar-node/build/internal/host"
)

func there(context.Context, *Machine) (string, error) { return "version 1", nil }

func absent(context.Context, *Machine) (string, error) { return "", errors.New("not in PATH") }

func debian(root bool) *Machine {
	return &Machine{Facts: host.Facts{Root: root, OS: host.OSRelease{ID: "debian", Name: "Debian"}}}
}

func TestPrintSaysWhatToDo(t *testing.T) {
	list := []Prerequisite{
		{Name: "a", Check: there},
		{Name: "b", Why: "reasons", Packages: []string{"b-bin", "b-dev"}, Advice: "install b", Check: absent},
		{Name: "c", Why: "luck", Advice: "get c", Optional: true, Check: absent},
	}
	for name, c := range map[string]struct {
		m    *Machine
		want []string
	}{
		"root":  {debian(true), []string{"ok       a ", "version 1", "MISSING  b ", "or apt-get install --no-install-recommends b-bin b-dev", "warning  c ", "get c"}},
		"user":  {debian(false), []string{"sudo apt-get install --no-install-recommends b-bin b-dev"}},
		"other": {&Machine{Facts: host.Facts{OS: host.OSRelease{ID: "arch"}}}, []string{"to do: install b"}},
	} {
		var out bytes.Buffer
		Print(&out, c.m, Check(context.Background(), c.m, list))
		for _, want := range c.want {
			if !strings.Contains(out.String(), want) {
				t.Errorf("%s: no %q in\n%s", name, want, out.String())
			}
		}
	}
	err := Missing(Check(context.Background(), debian(true), list))
	if err == nil || !strings.Contains(err.Error(), "1 of 3 prerequisites missing: b") {
		t.Errorf("got %v, want an error about b alone", err)
	}
}

func TestSetupChangesNothingWithoutRoot(t *testing.T) {
	changed := false
	list := []Prerequisite{{Name: "b", Packages: []string{"b"}, Check: absent, Repair: func(context.Context, *Machine) (string, error) {
		changed = true
		return "", nil
	}}}
	for _, m := range []*Machine{debian(false), {Facts: host.Facts{Root: true, OS: host.OSRelease{ID: "fedora", Name: "Fedora"}}}} {
		var out bytes.Buffer
		err := Setup(context.Background(), m, list, &out, t.TempDir()+"/apt.log")
		if err == nil || !strings.Contains(err.Error(), "nothing was changed") || changed {
			t.Errorf("%s, root %v: changed %v, error %v", m.OS.Name, m.Root, changed, err)
		}
	}
}

func TestSetupIsQuietWhenAllIsThere(t *testing.T) {
	var out bytes.Buffer
	list := []Prerequisite{{Name: "a", Packages: []string{"a"}, Check: there}}
	if err := Setup(context.Background(), debian(true), list, &out, "/dev/null"); err != nil {
		t.Fatal(err)
	}
	if got := strings.Count(out.String(), "\n"); got != 1 {
		t.Errorf("printed %d lines, want 1:\n%s", got, out.String())
	}
}

func TestPackagesAreWantedOnce(t *testing.T) {
	list := wantedPackages([]Result{
		{Prerequisite: Prerequisite{Packages: []string{"x", "y"}}, Err: errors.New("missing")},
		{Prerequisite: Prerequisite{Packages: []string{"y", "z"}}, Err: errors.New("missing")},
		{Prerequisite: Prerequisite{Packages: []string{"w"}}},
	})
	var names []string
	for _, w := range list {
		names = append(names, w.name)
	}
	if got := strings.Join(names, " "); got != "x y z" {
		t.Errorf("got %q, want \"x y z\"", got)
	}
}

// TestChecksFail makes sure that each check of the list that depends on the
// machine or on PATH can fail, and says something when it does.
func TestChecksFail(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	bare := &Machine{Checkout: "/", MinDisk: 1 << 62, FactsErr: errors.New("no facts"), EngineErr: &engine.NotFoundError{}}
	for _, r := range Check(context.Background(), bare, List()) {
		if r.Name == keyring.Name {
			continue // a file of the host
		}
		if r.Err == nil {
			t.Errorf("%s: found %q on a bare machine", r.Name, r.Found)
		}
	}
}

func TestEveryPrerequisiteIsComplete(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range List() {
		if p.Name == "" || p.Why == "" || p.Advice == "" || p.Check == nil || seen[p.Name] {
			t.Errorf("%q lacks a reason, an advice or a check, or is listed twice", p.Name)
		}
		seen[p.Name] = true
	}
}

func TestTailKeepsTheEnd(t *testing.T) {
	var w tailWriter
	w.Write(bytes.Repeat([]byte("x\n"), tailBytes))
	w.Write([]byte("last but one\nlast\n"))
	if len(w.data) != tailBytes {
		t.Errorf("kept %d bytes, want %d", len(w.data), tailBytes)
	}
	if got := w.lines(2); got != "last but one\nlast" {
		t.Errorf("got %q", got)
	}
}
