package e2erun

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/onsi/ginkgo/v2/types"
)

// Summary is what a run came to.
type Summary struct {
	Passed, Failed int
	// Failures are the names of what failed: specs, and steps of the suite
	// itself, such as its set-up.
	Failures []string
}

// String is the plain last line of a run.
func (s Summary) String() string { return fmt.Sprintf("%d passed, %d failed", s.Passed, s.Failed) }

// Add returns what both runs together came to.
func (s Summary) Add(t Summary) Summary {
	return Summary{s.Passed + t.Passed, s.Failed + t.Failed, slices.Concat(s.Failures, t.Failures)}
}

// Spec is a spec that has run, or a step of the suite itself, such as its set-up,
// that has failed.
type Spec struct {
	// Name is the full text of the spec, or what kind of step it is.
	Name string
	// Step says that it is a step of the suite and no spec.
	Step bool
	// Failed says that it has not passed, and Message why.
	Failed  bool
	Message string
}

// ReadReport reads Ginkgo's JSON report. Specs that the label filter left out
// count for nothing.
func ReadReport(name string) (Summary, error) {
	specs, err := ReadSpecs(name)
	if err != nil {
		return Summary{}, err
	}
	var s Summary
	for _, spec := range specs {
		if spec.Failed {
			s.Failed++
			s.Failures = append(s.Failures, spec.Name)
		} else {
			s.Passed++
		}
	}
	return s, nil
}

// ReadSpecs returns the specs that have run by Ginkgo's JSON report, and the steps of
// the suite that have failed.
func ReadSpecs(name string) ([]Spec, error) {
	reports, err := readReports(name)
	if err != nil {
		return nil, err
	}
	var specs []Spec
	for _, report := range reports {
		for _, r := range counted(report.SpecReports) {
			spec := Spec{Name: r.FullText(), Failed: r.Failed(), Message: r.Failure.Message}
			if r.LeafNodeType != types.NodeTypeIt {
				spec.Name, spec.Step = r.LeafNodeType.String(), true
			}
			specs = append(specs, spec)
		}
	}
	return specs, nil
}

// Named returns true if one of the specs has the text in its name.
func Named(specs []Spec, part string) bool {
	return slices.ContainsFunc(specs, func(s Spec) bool { return strings.Contains(s.Name, part) })
}

// counted returns the specs that have run, and the steps of the suite that have failed.
func counted(specs types.SpecReports) types.SpecReports {
	var found types.SpecReports
	var steps []string
	for _, s := range specs {
		if s.LeafNodeType == types.NodeTypeIt {
			if s.State == types.SpecStatePassed || s.Failed() {
				found = append(found, s)
			}
			continue
		}
		// Each parallel process reports a step of the suite that has failed.
		if kind := s.LeafNodeType.String(); s.Failed() && !slices.Contains(steps, kind) {
			steps = append(steps, kind)
			found = append(found, s)
		}
	}
	return found
}

// readReports reads Ginkgo's JSON report.
func readReports(name string) ([]types.Report, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	var reports []types.Report
	if err := json.Unmarshal(data, &reports); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return reports, nil
}
