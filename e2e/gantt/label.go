package gantt

import (
	"math"
	"slices"
	"unicode/utf8"
)

// The width of a letter in percent of the narrowest picture that is worth reading,
// and the room between a mark and its label.
const (
	letter = 0.85
	beside = 0.9
)

// labels gives marks their labels where there is room: the end of a container matters
// most, and TERM stands on the left of its mark, so that an end that follows at once
// finds room on the right.
func labels(marks []drawnMark) {
	var taken [][2]float64
	free := func(from, to float64) bool {
		if from < 0 || to > 100 {
			return false
		}
		for _, t := range taken {
			if from < t[1] && t[0] < to {
				return false
			}
		}
		taken = append(taken, [2]float64{from, to})
		return true
	}
	for _, kinds := range [][]Kind{{Failed, Killed}, {Exited}, {Term, Signalled}, {CallFailed}} {
		for i := range marks {
			m := &marks[i]
			if m.Label == "" || !slices.Contains(kinds, m.Kind) {
				continue
			}
			width := letter * float64(utf8.RuneCountInString(m.Label))
			right := func() bool { return free(m.X, m.X+beside+width) }
			left := func() bool { return free(m.X-beside-width, m.X) }
			first, second, anchors := right, left, []string{"start", "end"}
			if m.Kind == Term {
				first, second, anchors = left, right, []string{"end", "start"}
			}
			switch {
			case first():
				m.Shown, m.Anchor = m.Label, anchors[0]
			case second():
				m.Shown, m.Anchor = m.Label, anchors[1]
			}
		}
	}
}

func round(x float64) float64 { return math.Round(1000*x) / 1000 }
