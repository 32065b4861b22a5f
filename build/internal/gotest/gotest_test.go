package gotest

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// module writes a small module whose tests pass, fail, are skipped, panic and
// don't compile.
func module(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	const head = "import \"testing\"\n"
	for name, data := range map[string]string{
		"go.mod":            "module m\n\ngo 1.26\n",
		"good/a_test.go":    "package good\n" + head + "func TestA(t *testing.T) { t.Run(\"part\", func(t *testing.T) {}) }\nfunc TestB(t *testing.T) { t.Skip(\"no reason\") }\n",
		"bad/a_test.go":     "package bad\n" + head + "func TestA(t *testing.T) { t.Run(\"part\", func(t *testing.T) { t.Error(\"so it fails\") }) }\nfunc TestB(t *testing.T) {}\n",
		"panic/a_test.go":   "package panic\n" + head + "func TestA(t *testing.T) { go func() { panic(\"out of hand\") }(); select {} }\n",
		"broken/a_test.go":  "package broken\n" + head + "func TestA(t *testing.T) { nonsense }\n",
		"untested/plain.go": "package untested\n",
	} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(data), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestDo(t *testing.T) {
	dir := module(t)
	var out bytes.Buffer
	log := filepath.Join(t.TempDir(), "logs", "log")
	s, err := Run{Dir: dir, Args: []string{"./..."}, Log: log, Out: &out}.Do(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if s.Passed != 2 || s.Failed != 3 || s.Skipped != 1 {
		t.Errorf("got %d passed, %d failed, %d skipped; want 2, 3, 1\n%v\n%s", s.Passed, s.Failed, s.Skipped, s.Failures, out.String())
	}
	names := strings.Join(s.Failures, ",")
	for _, want := range []string{"m/bad TestA", "m/panic", "m/broken"} {
		if !strings.Contains(names, want) {
			t.Errorf("failures %q lack %q", names, want)
		}
	}
	for _, want := range []string{"so it fails", "out of hand", "undefined: nonsense", "FAIL", "m/good"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
	if data, err := os.ReadFile(log); err != nil || !strings.Contains(string(data), "so it fails") {
		t.Errorf("log: %v\n%s", err, data)
	}
}

func TestEnvironment(t *testing.T) {
	dir := module(t)
	if err := os.WriteFile(filepath.Join(dir, "good", "b_test.go"), []byte("package good\nimport (\"os\"; \"testing\")\nfunc TestEnv(t *testing.T) { if os.Getenv(\"WANTED\") != \"yes\" { t.Fatal() } }\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	s, err := Run{Dir: dir, Args: []string{"./good"}, Env: []string{"WANTED=yes"}, Log: filepath.Join(t.TempDir(), "log"), Out: &bytes.Buffer{}}.Do(context.Background())
	if err != nil || s.Passed != 2 || s.Failed != 0 {
		t.Errorf("got %+v, %v; want two passed", s, err)
	}
}

func TestRunThatCannotBeMade(t *testing.T) {
	s, err := Run{Dir: t.TempDir(), Args: []string{"./..."}, Log: filepath.Join(t.TempDir(), "log"), Out: &bytes.Buffer{}}.Do(context.Background())
	if err == nil && s.Failed == 0 {
		t.Errorf("a folder without a module passed: %+v", s)
	}
}
