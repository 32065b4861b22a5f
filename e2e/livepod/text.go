package livepod

import (
	"fmt"
	"strings"
	"time"

	"sidecar-node/e2e/timeline"
)

// Text is the timeline of the pod for a terminal.
func (p Pod) Text() string {
	var b strings.Builder
	b.WriteString(p.Source + "\n")
	b.WriteString(timeline.Text(p.Records))
	start := time.Time{}
	if len(p.Records) > 0 {
		start = p.Records[0].Wall
	}
	for i, e := range p.Events {
		if i == 0 {
			b.WriteString("events\n")
		}
		if start.IsZero() {
			start = e.At
		}
		fmt.Fprintf(&b, "%+11.3f s  %s\n", e.At.Sub(start).Seconds(), strings.TrimSpace(e.Container+" "+e.Text))
	}
	for _, n := range p.Notes {
		b.WriteString(n + "\n")
	}
	return b.String()
}
