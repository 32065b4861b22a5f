// Package engine finds the container engine that runs the nodes of clusters
// and speaks to it: Docker or Podman, whichever works on this host.
package engine

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"sidecar-node/build/internal/host"
)

// ProviderVariable is the environment variable that tells kind which engine to
// use. When a user has set it, no other engine is considered.
const ProviderVariable = "KIND_EXPERIMENTAL_PROVIDER"

const (
	docker = "docker"
	podman = "podman"
)

// answerTimeout bounds the question whether an engine is there. A Docker
// daemon that is just starting answers within seconds.
const answerTimeout = 30 * time.Second

// Engine is a container engine that answered.
type Engine struct {
	// Name is docker or podman, which is also the name of its command and of
	// kind's provider.
	Name string
	// Version is what the engine reports, for Docker that of the server.
	Version string
}

// Attempt is an engine that was considered, and why it can't be used.
type Attempt struct {
	Name, Reason string
}

// NotFoundError says that no engine works on this host.
type NotFoundError struct {
	Attempts []Attempt
}

func (e *NotFoundError) Error() string {
	var b strings.Builder
	b.WriteString("no container engine works on this host: want Docker with a running daemon, or Podman")
	for _, a := range e.Attempts {
		fmt.Fprintf(&b, "\n  %s: %s", a.Name, a.Reason)
	}
	b.WriteString("\nto install what is missing (root on Debian or Ubuntu): make setup")
	return b.String()
}

// Find returns the engine to use: Docker if it works, else Podman. A client
// without an engine behind it isn't chosen. The error is a *NotFoundError when
// there is none.
func Find(ctx context.Context) (*Engine, error) {
	names := []string{docker, podman}
	if wanted := os.Getenv(ProviderVariable); wanted != "" {
		if !slices.Contains(names, wanted) {
			return nil, fmt.Errorf("%s=%q: want docker or podman, or leave it unset", ProviderVariable, wanted)
		}
		names = []string{wanted}
	}
	var found []*Engine
	var failed NotFoundError
	for _, name := range names {
		e, err := ask(ctx, name)
		if err != nil {
			failed.Attempts = append(failed.Attempts, Attempt{name, err.Error()})
			continue
		}
		found = append(found, e)
	}
	if len(found) == 0 {
		return nil, &failed
	}
	if len(found) > 1 && poor() {
		// Old Docker daemons answer on such hosts and then fail to start any
		// privileged container; only trying tells.
		for _, e := range found {
			if e.TryPrivileged(ctx) == nil {
				return e, nil
			}
		}
	}
	return found[0], nil
}

// poor reports whether this is root without the right to raise limits, as on
// locked-down CI hosts.
func poor() bool {
	facts, err := host.Read()
	return err == nil && facts.Root && !facts.Capabilities.Has(host.SysResource)
}

// ask reports the version of the named engine, or why it can't be used.
func ask(ctx context.Context, name string) (*Engine, error) {
	if _, err := exec.LookPath(name); err != nil {
		return nil, errors.New("the command isn't in PATH")
	}
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	e := &Engine{Name: name}
	var out string
	var err error
	if name == docker {
		out, err = e.output(ctx, "version", "--format", "{{.Server.Version}}")
	} else {
		out, err = e.output(ctx, "info", "--format", "{{.Version.Version}}")
	}
	if ctx.Err() == context.DeadlineExceeded {
		return nil, fmt.Errorf("no answer within %s", answerTimeout)
	}
	if err != nil {
		return nil, err
	}
	e.Version = strings.TrimSpace(out)
	if e.Version == "" {
		return nil, errors.New("it answered without a version")
	}
	return e, nil
}

// Environ is the environment for kind, so that it uses this engine.
func (e *Engine) Environ() []string {
	return append(os.Environ(), ProviderVariable+"="+e.Name)
}

// Command is a command of the engine, for example Command(ctx, "ps").
func (e *Engine) Command(ctx context.Context, args ...string) *exec.Cmd {
	return exec.CommandContext(ctx, e.Name, args...)
}

// Error is a command of the engine that failed.
type Error struct {
	// Command is the command line as a user would type it.
	Command string
	// Text is what the engine wrote to standard error.
	Text string
	Err  error
}

func (e *Error) Error() string {
	if e.Text == "" {
		return fmt.Sprintf("%s: %v", e.Command, e.Err)
	}
	return fmt.Sprintf("%s: %v: %s", e.Command, e.Err, e.Text)
}

func (e *Error) Unwrap() error { return e.Err }

// output runs a command of the engine and returns what it wrote to standard
// output. The error is an *Error.
func (e *Engine) output(ctx context.Context, args ...string) (string, error) {
	cmd := e.Command(ctx, args...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return "", &Error{Command: strings.Join(cmd.Args, " "), Text: strings.TrimSpace(stderr.String()), Err: err}
	}
	return stdout.String(), nil
}
