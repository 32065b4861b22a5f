package mutant

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"sidecar-node/build/internal/compile"
	"sidecar-node/build/internal/e2erun"
	"sidecar-node/build/internal/step"
)

// restoreLimit is how long an interrupted run takes at most to leave the cluster as it
// was.
const restoreLimit = 5 * time.Minute

// kubeletAge is how old a kubelet has to be before specs run. A younger one waits for a
// random part of the period of a probe before it probes for the first time.
const kubeletAge = 15 * time.Second

// Run is a run of mutants.
type Run struct {
	Mutants []Mutant
	Build   *compile.Build
	Steps   *step.Runner
	// Suite is how the suite runs; its Output and Args are set for each mutant.
	Suite e2erun.Run
	Place Place
	// Ready returns when the cluster works again after a binary was replaced.
	Ready func(ctx context.Context) error
	// Dir receives a folder for each mutant, with the binary and what the suite said.
	Dir string
	Out io.Writer
}

// control is the run of the same components with nothing changed, which all specs pass.
func (r *Run) control() Mutant {
	m := Mutant{Name: Control, Breaks: "nothing: the same way, unchanged"}
	for _, other := range r.Mutants {
		for _, part := range other.Specs {
			if !slices.Contains(m.Specs, part) {
				m.Specs = append(m.Specs, part)
			}
		}
	}
	return m
}

// components are those that the mutants change.
func (r *Run) components() []string {
	var used []string
	for _, m := range r.Mutants {
		if !slices.Contains(used, m.Component) {
			used = append(used, m.Component)
		}
	}
	return used
}

// Compile compiles all mutants, and what the control runs, unless they are there. It
// goes on after one that does not compile.
func (r *Run) Compile(ctx context.Context) error {
	inputs, err := r.Build.Inputs(ctx)
	if err != nil {
		return err
	}
	var all []Mutant
	for _, component := range r.components() {
		all = append(all, Mutant{Name: Control, Component: component})
	}
	var errs []error
	for _, m := range append(all, r.Mutants...) {
		if errs = append(errs, r.compile(ctx, m, inputs)); ctx.Err() != nil {
			break
		}
	}
	return errors.Join(errs...)
}

func (r *Run) compile(ctx context.Context, m Mutant, inputs string) error {
	files, err := m.Files(r.Build.Tree.Dir)
	if err != nil {
		return err
	}
	return r.Steps.Run(ctx, step.Step{
		Name:    "mutant-" + m.Name + "-" + m.Component,
		Title:   fmt.Sprintf("Compile the %s of mutant %s", m.Component, m.Name),
		Inputs:  fmt.Sprintf("%s %s %q", inputs, m.Component, m.Changes),
		Outputs: []string{r.file(m, m.Component)},
		Repeat:  repeat(r.names(m)...),
		Do: func(ctx context.Context) error {
			return r.Build.Replaced(ctx, m.Component, files, filepath.Join(r.Dir, m.Name))
		},
	})
}

func (r *Run) file(m Mutant, component string) string { return filepath.Join(r.Dir, m.Name, component) }

// Do runs the control and then each mutant, and returns a row for each. Whatever
// happens, the cluster runs its own binaries afterwards. The error names the mutants that
// survive, and those that say nothing.
func (r *Run) Do(ctx context.Context) (rows []Row, err error) {
	// An earlier run may have been killed.
	if err := r.Place.Restore(ctx); err != nil {
		return nil, err
	}
	control, err := r.one(ctx, r.control(), r.components())
	if rows = append(rows, control); err != nil {
		return rows, err
	}
	var errs []error
	for _, m := range r.Mutants {
		row, err := r.one(ctx, m, []string{m.Component})
		rows, errs = append(rows, row), append(errs, err)
		var lost *restoreError
		if errors.As(err, &lost) || ctx.Err() != nil {
			break
		}
	}
	return rows, errors.Join(errs...)
}

// restoreError says that the cluster could not be left as it was.
type restoreError struct{ err error }

func (e *restoreError) Error() string { return e.err.Error() }
func (e *restoreError) Unwrap() error { return e.err }

// one puts the components of a mutant in their place, runs its specs and takes the
// components away again.
func (r *Run) one(ctx context.Context, m Mutant, components []string) (Row, error) {
	row := Row{Mutant: m}
	start := time.Now()
	err := r.Steps.Run(ctx, step.Step{
		Name:   "run-mutant-" + m.Name,
		Title:  fmt.Sprintf("Mutant %s (%s)", m.Name, m.Breaks),
		Repeat: repeat(r.names(m)...),
		Do: func(ctx context.Context) (err error) {
			defer func() {
				ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), restoreLimit)
				defer cancel()
				if lost := errors.Join(r.Place.Restore(ctx), r.Ready(ctx)); lost != nil {
					err = errors.Join(err, &restoreError{lost})
				}
			}()
			row.Verdict, row.Err = r.judge(ctx, m, components)
			if ctx.Err() != nil {
				// Whatever it is that failed, it was not the mutant.
				row.Verdict, row.Err = Verdict{}, fmt.Errorf("interrupted: %w", ctx.Err())
			}
			for _, s := range row.Verdict.Caught {
				fmt.Fprintf(r.Out, "    caught by: %s\n      %s\n", s.Name, reason(s.Message))
			}
			if row.Survived() {
				return fmt.Errorf("mutant %s survives: %s, and no spec that should have noticed has: %q (what the suite says: %s)", m.Name, m.Breaks, row.Verdict.Missed, r.log(m))
			}
			return row.Err
		},
	})
	row.Took = time.Since(start)
	return row, err
}

// judge runs the specs with the components in their place.
func (r *Run) judge(ctx context.Context, m Mutant, components []string) (Verdict, error) {
	for _, component := range components {
		if err := r.Place.Put(ctx, component, r.file(m, component)); err != nil {
			return Verdict{}, err
		}
	}
	aged := time.After(kubeletAge)
	if err := r.Ready(ctx); err != nil {
		return Verdict{}, err
	}
	select {
	case <-aged:
	case <-ctx.Done():
		return Verdict{}, ctx.Err()
	}
	ran, err := r.suite(ctx, m)
	if err != nil {
		return Verdict{}, err
	}
	if m.Name == Control {
		return Verdict{}, JudgeControl(m.Specs, ran)
	}
	return Judge(m, ran)
}

// suite runs the specs of the mutant and returns those that have run. What the suite
// prints goes to a file: most of it is about failures that have to be.
func (r *Run) suite(ctx context.Context, m Mutant) ([]e2erun.Spec, error) {
	s := r.Suite
	s.Output, s.Args = filepath.Join(r.Dir, m.Name, "e2e"), nil
	for _, part := range m.Specs {
		s.Args = append(s.Args, "--focus="+regexp.QuoteMeta(part))
	}
	return s.Logged(ctx, r.log(m))
}

func (r *Run) log(m Mutant) string { return filepath.Join(r.Dir, m.Name, "suite.log") }

// names are what has to be run for the mutant to run again.
func (r *Run) names(m Mutant) []string {
	if m.Name != Control {
		return []string{m.Name}
	}
	var names []string
	for _, m := range r.Mutants {
		names = append(names, m.Name)
	}
	return names
}

// repeat is the command that runs the mutants again.
func repeat(names ...string) string {
	return fmt.Sprintf("make e2e-mutants ARGS=%q", "--only "+strings.Join(names, ","))
}
