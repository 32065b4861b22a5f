// Package lock reads and writes patches/upstream.lock, the one place that says
// which Kubernetes the distribution is made from and which release of the
// distribution it is.
package lock

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"

	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"
)

// Main is the module that the staging modules complete.
const Main = "k8s.io/kubernetes"

// Module is one upstream module with the hashes that the go command computes.
type Module struct {
	// Path is the module path, such as k8s.io/api.
	Path string
	// Version is the version of the module, such as v0.37.2.
	Version string
	// Sum is the h1 hash of the module's files.
	Sum string
	// GoModSum is the h1 hash of the module's go.mod.
	GoModSum string
}

// Lock is the content of patches/upstream.lock.
type Lock struct {
	// Kubernetes is the upstream version, such as v1.37.2.
	Kubernetes string
	// Distribution is the release of the distribution on that version, such
	// as sidecar.1.
	Distribution string
	// Date is the time of the upstream release. Everything that would
	// otherwise carry the time of the build carries this one.
	Date time.Time
	// Drop lists the staging modules that upstream does not publish and that
	// no binary needs; they are removed from go.work and go.mod.
	Drop []string
	// Modules holds k8s.io/kubernetes and the staging modules, by path.
	Modules []Module
}

var distributionForm = regexp.MustCompile(`^[a-z]+\.[0-9]+$`)

// StagingVersion derives the version of the staging modules (v0.37.2) from
// the one of Kubernetes (v1.37.2).
func StagingVersion(kubernetes string) (string, error) {
	if err := checkKubernetes(kubernetes); err != nil {
		return "", err
	}
	return "v0." + strings.TrimPrefix(kubernetes, "v1."), nil
}

func checkKubernetes(v string) error {
	if !semver.IsValid(v) || semver.Canonical(v) != v || semver.Major(v) != "v1" {
		return fmt.Errorf("unknown Kubernetes version %q: want v1.<minor>.<patch>, such as v1.37.2", v)
	}
	return nil
}

// Read reads the lock file.
func Read(file string) (*Lock, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("read the upstream lock: %w", err)
	}
	l, err := Parse(data)
	if err != nil {
		return nil, fmt.Errorf("%s:%w", file, err)
	}
	return l, nil
}

// Parse parses a lock file. It accepts exactly what Format writes, plus
// comment lines; anything else is an error that starts with the line number.
func Parse(data []byte) (*Lock, error) {
	l := &Lock{}
	sc := bufio.NewScanner(bytes.NewReader(data))
	n, last := 0, ""
	for sc.Scan() {
		n++
		line := sc.Text()
		if strings.HasPrefix(line, "#") || line == "" {
			continue
		}
		if err := l.parse(line, &last); err != nil {
			return nil, fmt.Errorf("%d: %w", n, err)
		}
	}
	if err := sc.Err(); err != nil {
		return nil, fmt.Errorf("%d: %w", n+1, err)
	}
	if err := l.check(); err != nil {
		return nil, fmt.Errorf("%d: %w", n, err)
	}
	return l, nil
}

// order of the kinds of lines in the file.
var order = []string{"kubernetes", "distribution", "date", "drop", "module"}

func (l *Lock) parse(line string, last *string) error {
	fields := strings.Split(line, " ")
	kind, rest := fields[0], fields[1:]
	at := slices.Index(order, kind)
	if at < 0 {
		return fmt.Errorf("unknown line %q: want one that starts with %s", line, strings.Join(order, ", "))
	}
	want := map[string]int{"module": 4}[kind]
	if want == 0 {
		want = 1
	}
	if len(rest) != want || slices.Contains(rest, "") {
		return fmt.Errorf("line %q: want %q and %d words, one space between, found %d", line, kind, want, len(rest))
	}
	// One key a line that grows from line to line makes the file sorted and
	// every entry unique.
	key := fmt.Sprintf("%d %s", at, kind)
	if kind == "drop" || kind == "module" {
		key += " " + rest[0]
	}
	if key <= *last {
		return fmt.Errorf("line %q is repeated or out of order: want %s, and drop and module lines sorted by path", line, strings.Join(order, ", "))
	}
	*last = key
	switch kind {
	case "kubernetes":
		l.Kubernetes = rest[0]
		return checkKubernetes(rest[0])
	case "distribution":
		l.Distribution = rest[0]
		if !distributionForm.MatchString(rest[0]) {
			return fmt.Errorf("distribution %q: want a word, a dot and a number, such as sidecar.1", rest[0])
		}
	case "date":
		t, err := time.Parse(time.RFC3339, rest[0])
		if err != nil || t.UTC().Format(time.RFC3339) != rest[0] {
			return fmt.Errorf("date %q: want UTC in the form 2026-01-31T12:00:00Z", rest[0])
		}
		l.Date = t
	case "drop":
		l.Drop = append(l.Drop, rest[0])
	case "module":
		m := Module{rest[0], rest[1], rest[2], rest[3]}
		for _, h := range []string{m.Sum, m.GoModSum} {
			if !strings.HasPrefix(h, "h1:") {
				return fmt.Errorf("module %s: hash %q: want one that starts with h1:", m.Path, h)
			}
		}
		l.Modules = append(l.Modules, m)
	}
	return nil
}

// check looks at the file as a whole.
func (l *Lock) check() error {
	if l.Kubernetes == "" || l.Distribution == "" || l.Date.IsZero() {
		return errors.New("want one line each of kubernetes, distribution and date")
	}
	staging, err := StagingVersion(l.Kubernetes)
	if err != nil {
		return err
	}
	found := false
	for _, m := range l.Modules {
		want := staging
		if m.Path == Main {
			want, found = l.Kubernetes, true
		} else if err := module.CheckPath(m.Path); err != nil || !strings.HasPrefix(m.Path, "k8s.io/") {
			return fmt.Errorf("module %s is no staging module: want k8s.io/<name>", m.Path)
		}
		if m.Version != want {
			return fmt.Errorf("module %s has version %s: want %s, which follows from kubernetes %s", m.Path, m.Version, want, l.Kubernetes)
		}
		if slices.Contains(l.Drop, m.Path) {
			return fmt.Errorf("module %s is both dropped and locked", m.Path)
		}
	}
	if !found {
		return fmt.Errorf("no module line for %s", Main)
	}
	return nil
}

// Format returns the file for the lock. Parse reads it back.
func (l *Lock) Format() []byte {
	var b bytes.Buffer
	b.WriteString("# What the distribution is made from; read by sidecarctl, written by `sidecarctl lock`.\n")
	b.WriteString("# module lines: path, version, hash of the files, hash of go.mod.\n")
	fmt.Fprintf(&b, "kubernetes %s\ndistribution %s\ndate %s\n", l.Kubernetes, l.Distribution, l.Date.UTC().Format(time.RFC3339))
	drop := slices.Sorted(slices.Values(l.Drop))
	for _, d := range drop {
		fmt.Fprintf(&b, "drop %s\n", d)
	}
	modules := slices.SortedFunc(slices.Values(l.Modules), func(a, b Module) int { return strings.Compare(a.Path, b.Path) })
	for _, m := range modules {
		fmt.Fprintf(&b, "module %s %s %s %s\n", m.Path, m.Version, m.Sum, m.GoModSum)
	}
	return b.Bytes()
}
