// Package prerequisite knows what a machine needs before it can build the
// distribution and run clusters: how to see whether it is there, and how to
// get it.
package prerequisite

import (
	"context"
	"fmt"
	"io"
	"strings"

	"sidecar-node/build/internal/engine"
	"sidecar-node/build/internal/host"
)

// Machine is the machine that is judged.
type Machine struct {
	host.Facts
	// FactsErr is set when some facts could not be read.
	FactsErr error
	// Checkout is the folder of the repository.
	Checkout string
	// MinDisk is the free space in bytes that a build from nothing needs, over
	// all file systems that it writes to.
	MinDisk uint64
	// Engine is the container engine found on it, nil if EngineErr is set.
	Engine    *engine.Engine
	EngineErr error
}

// Look reads the machine that this process runs on.
func Look(ctx context.Context, checkout string, minDisk uint64) *Machine {
	m := &Machine{Checkout: checkout, MinDisk: minDisk}
	m.Facts, m.FactsErr = host.Read()
	m.Engine, m.EngineErr = engine.Find(ctx)
	return m
}

// Prerequisite is one thing that the build or a cluster needs.
type Prerequisite struct {
	// Name is short, as in a list.
	Name string
	// Why says what it is for.
	Why string
	// Packages of Debian that bring it; none if no package does.
	Packages []string
	// Advice says what to do on other systems or where no package helps.
	Advice string
	// Optional ones are reported and stop nothing.
	Optional bool
	// Check returns what was found, or an error that says what is wrong.
	Check func(ctx context.Context, m *Machine) (found string, err error)
	// Repair changes the machine, as root, and returns what it did. It may be
	// nil.
	Repair func(ctx context.Context, m *Machine) (did string, err error)
}

// Result is the outcome of one check.
type Result struct {
	Prerequisite
	Found string
	Err   error
}

// Check judges the machine by every prerequisite in the list.
func Check(ctx context.Context, m *Machine, list []Prerequisite) []Result {
	results := make([]Result, 0, len(list))
	for _, p := range list {
		found, err := p.Check(ctx, m)
		results = append(results, Result{p, found, err})
	}
	return results
}

// Print writes one line for every result, and below it what to do where
// something is missing.
func Print(w io.Writer, m *Machine, results []Result) {
	for _, r := range results {
		switch {
		case r.Err == nil:
			fmt.Fprintf(w, "ok       %-18s %s\n", r.Name, r.Found)
			continue
		case r.Optional:
			fmt.Fprintf(w, "warning  %-18s %v\n", r.Name, r.Err)
		default:
			fmt.Fprintf(w, "MISSING  %-18s %v\n", r.Name, r.Err)
		}
		fmt.Fprintf(w, "         needed for: %s\n", r.Why)
		fmt.Fprintf(w, "         to do: %s\n", r.remedy(m))
	}
}

// remedy says what a person has to do.
func (r Result) remedy(m *Machine) string {
	packages := len(r.Packages) > 0
	switch {
	case packages && m.OS.DebianLike():
		return "make setup (as root), or " + aptLine(m.Root, r.Packages)
	case r.Repair != nil && m.OS.DebianLike():
		return "make setup (as root), or " + r.Advice
	}
	return r.Advice
}

// Missing returns an error that names every needed prerequisite that isn't
// there, and nil when all are.
func Missing(results []Result) error {
	var names []string
	for _, r := range results {
		if r.Err != nil && !r.Optional {
			names = append(names, r.Name)
		}
	}
	if len(names) == 0 {
		return nil
	}
	return fmt.Errorf("%d of %d prerequisites missing: %s\nto see what to do: make doctor", len(names), len(results), strings.Join(names, ", "))
}
