package bench

import (
	"errors"
	"fmt"
	"io"
	"text/tabwriter"
)

// WriteTable writes a line for each variant of the measures and one more for each
// further comparison. What has no samples is an error, but what there is is written.
func WriteTable(out io.Writer, measures []Measure, samples []Sample) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	var errs []error
	line := func(cells ...any) {
		for i, c := range cells {
			if i > 0 {
				fmt.Fprint(w, "\t")
			}
			fmt.Fprint(w, c)
		}
		fmt.Fprintln(w)
	}
	for _, m := range measures {
		fmt.Fprintf(w, "\n%s: %s\n", m.Name, m.Title)
		line("  variant", "n", "median", "p99", "ratio to", "ratio", "95 %", "goal")
		for _, variant := range m.Variants {
			values := of(samples, m.Name, variant).all()
			if len(values) == 0 {
				errs = append(errs, fmt.Errorf("measure %s has no sample of %s", m.Name, variant))
				continue
			}
			cells := []any{"  " + variant, len(values), m.Unit.Format(median(values)), m.Unit.Format(p99(values))}
			compared := false
			for _, c := range m.Comparisons {
				if c.Variant != variant {
					continue
				}
				r, err := compare(of(samples, m.Name, variant), of(samples, m.Name, c.Base))
				if err != nil {
					errs = append(errs, fmt.Errorf("measure %s, %s compared with %s: %w", m.Name, variant, c.Base, err))
					continue
				}
				if compared {
					cells = []any{"", "", "", ""}
				}
				compared = true
				line(append(cells, c.Base, fmt.Sprintf("%.3f", r.value), fmt.Sprintf("%.3f to %.3f", r.low, r.high), c.verdict(r))...)
			}
			if !compared {
				line(append(cells, "", "", "", "")...)
			}
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprint(out, "\n", legend)
	return errors.Join(append(errs, err)...)
}

const legend = `n: samples. p99: by nearest rank, so the maximum of fewer than 100 samples.
ratio: of the medians, with its 95 % bootstrap interval over rounds. A goal is met or
missed by the ratio; it is uncertain if the interval has the goal in it, or with
fewer than 6 rounds, for which the interval is too narrow.
`

// verdict says whether the goal is met.
func (c Comparison) verdict(r ratio) string {
	if c.AtMost == 0 {
		return ""
	}
	word := "met"
	if r.value > c.AtMost {
		word = "MISSED"
	}
	if r.rounds < enough || r.low <= c.AtMost && c.AtMost < r.high {
		word += ", uncertain"
	}
	return fmt.Sprintf("at most %g: %s", c.AtMost, word)
}
