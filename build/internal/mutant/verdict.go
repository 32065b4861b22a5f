package mutant

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"sidecar-node/build/internal/e2erun"
)

// Verdict is what the suite made of a mutant.
type Verdict struct {
	// Caught are the specs that have failed.
	Caught []e2erun.Spec
	// Missed are the specs that should have failed and have passed.
	Missed []string
}

// Judge compares the specs that have run on a mutant with those that have to fail. A
// run that proves nothing is an error: the suite could not be set up, or a spec that
// should have run has not.
func Judge(m Mutant, ran []e2erun.Spec) (Verdict, error) {
	var v Verdict
	if err := ranAll(m.Specs, ran); err != nil {
		return v, err
	}
	for _, s := range ran {
		if s.Failed {
			v.Caught = append(v.Caught, s)
		}
	}
	for _, part := range m.Specs {
		if !e2erun.Named(v.Caught, part) {
			v.Missed = append(v.Missed, part)
		}
	}
	return v, nil
}

// JudgeControl returns an error unless all the specs have run and passed.
func JudgeControl(specs []string, ran []e2erun.Spec) error {
	if err := ranAll(specs, ran); err != nil {
		return err
	}
	var errs []error
	for _, s := range ran {
		if s.Failed {
			errs = append(errs, fmt.Errorf("with nothing changed this spec fails, so that its failure would prove nothing: %s: %s", s.Name, reason(s.Message)))
		}
	}
	return errors.Join(errs...)
}

// ranAll returns an error unless the suite was set up and each of the specs has run.
func ranAll(specs []string, ran []e2erun.Spec) error {
	var errs []error
	for _, s := range ran {
		if s.Step {
			errs = append(errs, fmt.Errorf("%s of the suite has failed, which says nothing about a spec: %s", s.Name, reason(s.Message)))
		}
	}
	for _, part := range specs {
		if !slices.ContainsFunc(ran, func(s e2erun.Spec) bool { return !s.Step && strings.Contains(s.Name, part) }) {
			errs = append(errs, fmt.Errorf("no spec has run with %q in its name", part))
		}
	}
	return errors.Join(errs...)
}
