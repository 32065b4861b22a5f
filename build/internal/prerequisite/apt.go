package prerequisite

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// aptLine is the command that installs packages, as a person would type it.
func aptLine(root bool, packages []string) string {
	line := "apt-get install --no-install-recommends " + strings.Join(packages, " ")
	if !root {
		line = "sudo " + line
	}
	return line
}

// apt installs packages and keeps what apt prints in a log file.
type apt struct {
	log string
	out io.Writer
}

// update refreshes the lists of packages. A machine that can't may still have
// lists that are good enough, so the failure is reported and not fatal.
func (a apt) update(ctx context.Context) {
	fmt.Fprintln(a.out, "==> apt-get update")
	if err := a.run(ctx, "update"); err != nil {
		fmt.Fprintf(a.out, "warning: %v\n", err)
	}
}

// available reports whether apt knows a version of the package to install.
func (a apt) available(ctx context.Context, name string) bool {
	out, err := exec.CommandContext(ctx, "apt-cache", "policy", name).Output()
	return err == nil && strings.Contains(string(out), "Candidate:") && !strings.Contains(string(out), "Candidate: (none)")
}

// install installs packages, or upgrades them to the newest version that apt
// knows.
func (a apt) install(ctx context.Context, packages []string) error {
	return a.run(ctx, append([]string{"install", "--yes", "--no-install-recommends"}, packages...)...)
}

func (a apt) run(ctx context.Context, args ...string) error {
	if err := os.MkdirAll(filepath.Dir(a.log), 0o755); err != nil {
		return err
	}
	log, err := os.OpenFile(a.log, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return err
	}
	defer log.Close()
	cmd := exec.CommandContext(ctx, "apt-get", args...)
	// Nothing may ask a question: there may be nobody to answer.
	cmd.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive")
	var tail tailWriter
	cmd.Stdout = io.MultiWriter(log, &tail)
	cmd.Stderr = cmd.Stdout
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("apt-get %s: %w\n%s\n(all of it: %s)", strings.Join(args, " "), err, tail.lines(15), a.log)
	}
	return nil
}

// tailWriter keeps the end of what is written to it.
type tailWriter struct{ data []byte }

const tailBytes = 8 << 10

func (t *tailWriter) Write(p []byte) (int, error) {
	t.data = append(t.data, p...)
	if over := len(t.data) - tailBytes; over > 0 {
		t.data = t.data[over:]
	}
	return len(p), nil
}

// lines returns the last n lines.
func (t *tailWriter) lines(n int) string {
	all := strings.Split(strings.TrimSpace(string(t.data)), "\n")
	return strings.Join(all[max(0, len(all)-n):], "\n")
}
