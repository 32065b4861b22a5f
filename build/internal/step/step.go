// Package step runs the steps of the build: only when their inputs changed,
// with a line when one starts and a line with the seconds when it ends.
package step

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"sidecar-node/build/internal/filelock"
)

// Step is one unit of work of the build.
type Step struct {
	// Name is unique, made of letters, digits, dots and dashes; it names the
	// stamp file.
	Name string
	// Title says what the step does, in a few words.
	Title string
	// Inputs is a digest of everything the result depends on. An empty digest
	// means that the step always runs.
	Inputs string
	// Outputs are files or folders that must exist for the step to be skipped.
	Outputs []string
	// Repeat is the one command that runs this step again.
	Repeat string
	// Do does the work. It must leave its outputs whole or not at all: write
	// beside them and rename.
	Do func(ctx context.Context) error
}

// Runner runs steps one after another.
type Runner struct {
	// Stamps is the folder of stamp files.
	Stamps string
	// Out receives the lines that people read.
	Out io.Writer

	// locked is set while this process runs a step.
	locked bool
}

// stamp is the record of a finished step.
type stamp struct {
	Inputs   string    `json:"inputs"`
	Seconds  float64   `json:"seconds"`
	Finished time.Time `json:"finished"`
}

// Error is the failure of a step; its text ends with the command that repeats
// the step.
type Error struct {
	Step   string
	Repeat string
	Err    error
}

func (e *Error) Error() string {
	text := fmt.Sprintf("step %s: %v", e.Step, e.Err)
	if e.Repeat != "" {
		text += "\nto repeat: " + e.Repeat
	}
	return text
}

func (e *Error) Unwrap() error { return e.Err }

// Run runs s unless its stamp says that it has run with the same inputs and
// its outputs still exist.
func (r *Runner) Run(ctx context.Context, s Step) error {
	if r.Fresh(s) {
		fmt.Fprintf(r.Out, "==> %s: up to date\n", s.Title)
		return nil
	}
	// Steps within steps find the lock taken.
	if !r.locked {
		release, err := r.lock(ctx)
		if err != nil {
			return &Error{s.Name, s.Repeat, err}
		}
		r.locked = true
		defer func() { r.locked = false; release() }()
		// The process that held it may have done this very step.
		if r.Fresh(s) {
			fmt.Fprintf(r.Out, "==> %s: up to date\n", s.Title)
			return nil
		}
	}
	fmt.Fprintf(r.Out, "==> %s\n", s.Title)
	// Without its stamp an interrupted step runs again.
	if err := r.Forget(s.Name); err != nil {
		return &Error{s.Name, s.Repeat, err}
	}
	start := time.Now()
	if err := s.Do(ctx); err != nil {
		fmt.Fprintf(r.Out, "==> %s: FAILED after %.1f s\n", s.Title, time.Since(start).Seconds())
		var inner *Error
		if errors.As(err, &inner) {
			return err
		}
		return &Error{s.Name, s.Repeat, err}
	}
	seconds := time.Since(start).Seconds()
	fmt.Fprintf(r.Out, "==> %s: done in %.1f s\n", s.Title, seconds)
	if s.Inputs == "" {
		return nil
	}
	return r.write(s.Name, stamp{Inputs: s.Inputs, Seconds: seconds, Finished: time.Now().UTC()})
}

// lock waits until no other process runs a step of this checkout: two that
// write the same outputs would spoil each other's.
func (r *Runner) lock(ctx context.Context) (release func(), err error) {
	if err := os.MkdirAll(r.Stamps, 0o755); err != nil {
		return nil, err
	}
	return filelock.Hold(ctx, filepath.Join(r.Stamps, "lock"), func() {
		fmt.Fprintln(r.Out, "==> another process runs a step in this checkout: wait for it")
	})
}

// Forget removes the stamp of a step, so that it runs again.
func (r *Runner) Forget(name string) error {
	err := os.Remove(r.file(name))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}

func (r *Runner) file(name string) string { return filepath.Join(r.Stamps, name+".json") }

// Fresh reports whether Run would skip s.
func (r *Runner) Fresh(s Step) bool {
	if s.Inputs == "" {
		return false
	}
	data, err := os.ReadFile(r.file(s.Name))
	if err != nil {
		return false
	}
	var st stamp
	if json.Unmarshal(data, &st) != nil || st.Inputs != s.Inputs {
		return false
	}
	for _, o := range s.Outputs {
		if _, err := os.Lstat(o); err != nil {
			return false
		}
	}
	return true
}

func (r *Runner) write(name string, st stamp) error {
	if err := os.MkdirAll(r.Stamps, 0o755); err != nil {
		return err
	}
	data, err := json.Marshal(st)
	if err != nil {
		return err
	}
	tmp := r.file(name) + ".tmp"
	if err := os.WriteFile(tmp, append(data, '\n'), 0o644); err != nil {
		return err
	}
	return os.Rename(tmp, r.file(name))
}
