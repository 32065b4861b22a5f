package e2erun

import (
	"fmt"
	"slices"

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

// ReadReport reads Ginkgo's JSON report. Specs that the label filter left out
// count for nothing.
func ReadReport(name string) (Summary, error) {
	reports, err := readReports(name)
	if err != nil {
		return Summary{}, err
	}
	var s Summary
	for _, report := range reports {
		for _, spec := range report.SpecReports {
			switch {
			case spec.Failed():
				text := spec.FullText()
				if spec.LeafNodeType != types.NodeTypeIt {
					// Each parallel process reports the failed set-up.
					text = spec.LeafNodeType.String()
					if slices.Contains(s.Failures, text) {
						continue
					}
				}
				s.Failed++
				s.Failures = append(s.Failures, text)
			case spec.LeafNodeType == types.NodeTypeIt && spec.State == types.SpecStatePassed:
				s.Passed++
			}
		}
	}
	return s, nil
}
