package prerequisite

import (
	"context"
	"fmt"
	"io"
	"os/exec"
	"slices"
)

// Setup makes the machine fit: it installs missing packages and repairs what
// can be repaired, announcing each. It does so only as root on a distribution
// like Debian; elsewhere it changes nothing and says what to do. An engine
// that already works is kept. aptLog is the file that receives what apt
// prints.
func Setup(ctx context.Context, m *Machine, list []Prerequisite, out io.Writer, aptLog string) error {
	results := Check(ctx, m, list)
	if Missing(results) == nil && !repairable(results) {
		fmt.Fprintln(out, "==> every prerequisite is there")
		return nil
	}
	if _, err := exec.LookPath("apt-get"); !m.Root || !m.OS.DebianLike() || err != nil {
		if missing := Missing(results); missing != nil {
			Print(out, m, results)
			return fmt.Errorf("nothing was changed, because that takes root on Debian or Ubuntu (this is %s, user root: %v): %w", m.OS.Name, m.Root, missing)
		}
		return nil
	}
	if packages := wantedPackages(results); len(packages) > 0 {
		if err := installAll(ctx, apt{log: aptLog, out: out}, packages); err != nil {
			return err
		}
		*m = *Look(ctx, m.Checkout, m.MinDisk)
	}
	for _, p := range list {
		_, err := p.Check(ctx, m)
		if err == nil || p.Repair == nil {
			continue
		}
		did, repairErr := p.Repair(ctx, m)
		switch {
		case repairErr == nil:
			fmt.Fprintf(out, "==> %s: %s\n", p.Name, did)
		case p.Optional:
			fmt.Fprintf(out, "warning: %s: %v (%v)\n", p.Name, err, repairErr)
		default:
			return fmt.Errorf("%s: %w\ncould not be repaired: %v\nto do: %s", p.Name, err, repairErr, p.Advice)
		}
		*m = *Look(ctx, m.Checkout, m.MinDisk)
	}
	results = Check(ctx, m, list)
	if err := Missing(results); err != nil {
		Print(out, m, results)
		return err
	}
	return nil
}

// repairable reports whether something that isn't right could be put right.
func repairable(results []Result) bool {
	return slices.ContainsFunc(results, func(r Result) bool { return r.Err != nil && (r.Repair != nil || len(r.Packages) > 0) })
}

// wanted is a package to install and what it is for.
type wanted struct{ name, why string }

// wantedPackages returns the packages that missing prerequisites ask for, each
// once.
func wantedPackages(results []Result) []wanted {
	var list []wanted
	for _, r := range results {
		if r.Err == nil {
			continue
		}
		for _, name := range r.Packages {
			if !slices.ContainsFunc(list, func(w wanted) bool { return w.name == name }) {
				list = append(list, wanted{name, r.Why})
			}
		}
	}
	return list
}

func installAll(ctx context.Context, a apt, packages []wanted) error {
	a.update(ctx)
	var names []string
	for _, p := range packages {
		if !a.available(ctx, p.name) {
			fmt.Fprintf(a.out, "==> %s: this release has no such package, going on without it\n", p.name)
			continue
		}
		fmt.Fprintf(a.out, "==> install %s: %s\n", p.name, p.why)
		names = append(names, p.name)
	}
	if len(names) == 0 {
		return nil
	}
	return a.install(ctx, names)
}
