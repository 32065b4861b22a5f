package mutant

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Row is a line of the table.
type Row struct {
	Mutant Mutant
	// Verdict is that of the suite, unless Err says why there is none.
	Verdict Verdict
	Err     error
	// Took is how long it took to put the mutant in its place, run the specs, and take
	// it away.
	Took time.Duration
}

// Survived says that a spec that should have caught the mutant has not.
func (r Row) Survived() bool { return r.Err == nil && len(r.Verdict.Missed) > 0 }

// Table returns the rows as a table in Markdown.
func Table(rows []Row) string {
	var b strings.Builder
	b.WriteString("| mutant | what no longer holds | caught by | which says | seconds |\n|---|---|---|---|---|\n")
	for _, r := range rows {
		by, says := r.outcome()
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %.0f |\n", r.Mutant.Name, r.Mutant.Breaks, by, says, r.Took.Seconds())
	}
	return b.String()
}

// outcome is what caught the mutant, and what that says.
func (r Row) outcome() (by, says string) {
	if r.Err != nil {
		return "**no verdict**", cell(reason(r.Err.Error()))
	}
	if r.Mutant.Name == Control {
		return "nothing", ""
	}
	var specs, reasons []string
	for _, s := range r.Verdict.Caught {
		specs = append(specs, cell(s.Name))
		if why := cell(reason(s.Message)); !slices.Contains(reasons, why) {
			reasons = append(reasons, why)
		}
	}
	for _, part := range r.Verdict.Missed {
		specs = append(specs, "**survives** "+cell(part))
	}
	return strings.Join(specs, "; "), strings.Join(reasons, "; ")
}

// cell is text as it may stand in a table.
func cell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }
