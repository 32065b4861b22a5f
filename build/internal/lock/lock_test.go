package lock

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sidecar-node/build/internal/layout"
)

const good = `# comment
kubernetes v1.37.2
distribution sidecar.1
date 2026-10-27T12:01:04Z
drop k8s.io/toy
module k8s.io/api v0.37.2 h1:a= h1:b=
module k8s.io/kubernetes v1.37.2 h1:c= h1:d=
`

func TestParseAndFormat(t *testing.T) {
	l, err := Parse([]byte(good))
	if err != nil {
		t.Fatal(err)
	}
	if len(l.Modules) != 2 || l.Modules[0] != (Module{"k8s.io/api", "v0.37.2", "h1:a=", "h1:b="}) || len(l.Drop) != 1 {
		t.Errorf("lock = %+v", l)
	}
	again, err := Parse(l.Format())
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(again.Format(), l.Format()) {
		t.Error("reading what is written gives another lock")
	}
	for v, want := range map[layout.Variant][2]string{
		layout.Stock:   {"v1.37.2", "v1.37.2"},
		layout.Sidecar: {"v1.37.2+sidecar.1", "v1.37.2-sidecar.1"},
	} {
		if l.GitVersion(v) != want[0] || l.ImageTag(v) != want[1] {
			t.Errorf("%s: version %s, tag %s, want %v", v, l.GitVersion(v), l.ImageTag(v), want)
		}
	}
	if l.Minor() != "37" {
		t.Errorf("minor %q", l.Minor())
	}
}

func TestParseRefuses(t *testing.T) {
	for name, c := range map[string]struct{ old, new, want string }{
		"unknown line":       {"drop k8s.io/toy\n", "keep k8s.io/toy\n", `unknown line "keep k8s.io/toy"`},
		"unsorted modules":   {"module k8s.io/api v0.37.2 h1:a= h1:b=\n", "module k8s.io/zoo v0.37.2 h1:a= h1:b=\n", "out of order"},
		"repeated line":      {"drop k8s.io/toy\n", "drop k8s.io/toy\ndrop k8s.io/toy\n", "repeated"},
		"kinds out of order": {"drop k8s.io/toy\n", "drop k8s.io/toy\ndistribution sidecar.2\n", "out of order"},
		"staging version":    {"module k8s.io/api v0.37.2", "module k8s.io/api v0.37.1", "want v0.37.2, which follows from kubernetes v1.37.2"},
		"main version":       {"module k8s.io/kubernetes v1.37.2", "module k8s.io/kubernetes v1.37.1", "want v1.37.2"},
		"kubernetes version": {"kubernetes v1.37.2\n", "kubernetes 1.37\n", `unknown Kubernetes version "1.37": want`},
		"other major":        {"kubernetes v1.37.2\n", "kubernetes v2.0.0\n", "unknown Kubernetes version"},
		"distribution":       {"sidecar.1", "sidecar", "want a word, a dot and a number"},
		"date":               {"2026-10-27T12:01:04Z", "yesterday", "want UTC in the form"},
		"no hash":            {" h1:b=\n", "\n", "found 3"},
		"other hash":         {"h1:b=", "sha256:b", "want one that starts with h1:"},
		"two blanks":         {"drop k8s.io/toy", "drop  k8s.io/toy", "one space between"},
		"foreign module":     {"module k8s.io/api ", "module example.com/api ", "want k8s.io/<name>"},
		"dropped and locked": {"drop k8s.io/toy", "drop k8s.io/api", "both dropped and locked"},
		"no main module":     {"module k8s.io/kubernetes v1.37.2 h1:c= h1:d=\n", "", "no module line for k8s.io/kubernetes"},
		"no version":         {"kubernetes v1.37.2\n", "", "want one line each"},
	} {
		t.Run(name, func(t *testing.T) {
			text := strings.Replace(good, c.old, c.new, 1)
			if text == good {
				t.Fatalf("%q is not in the lock", c.old)
			}
			_, err := Parse([]byte(text))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want one with %q", err, c.want)
			}
		})
	}
}

func TestReadNamesFileAndLine(t *testing.T) {
	file := filepath.Join(t.TempDir(), "upstream.lock")
	if err := os.WriteFile(file, []byte(good+"more\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(file); err == nil || !strings.Contains(err.Error(), file+":8: ") {
		t.Errorf("error %v", err)
	}
}

// The lock of this repository holds Kubernetes and its 31 published staging
// modules.
func TestLockOfTheRepository(t *testing.T) {
	data, err := os.ReadFile("../../../patches/upstream.lock")
	if err != nil {
		t.Fatal(err)
	}
	l, err := Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	if len(l.Modules) != 32 {
		t.Errorf("%d modules", len(l.Modules))
	}
	if !bytes.Equal(l.Format(), data) {
		t.Error("the file is not as the tool writes it")
	}
}
