package gantt

import (
	"fmt"
	"math"
	"strconv"
	"time"
)

// axis maps times to places in percent of the width of the picture. Seconds count from
// zero, before which there may be something.
type axis struct {
	start, zero time.Time
	span        time.Duration
}

// Beyond the last moment there is room for its label, and for what runs on.
const (
	usedShare = 0.92
	// shortest keeps a picture of one moment from having no width.
	shortest = 100 * time.Millisecond
)

func newAxis(start, zero, end time.Time) axis {
	return axis{start, zero, max(end.Sub(start), shortest)}
}

// place is in percent, from 0 to 100, with three digits.
func (a axis) place(t time.Time) float64 {
	p := 100 * usedShare * float64(t.Sub(a.start)) / float64(a.span)
	return math.Round(1000*min(max(p, 0), 100)) / 1000
}

// Tick is a line of the axis.
type Tick struct {
	X     float64
	Label string
}

// ticks are five to ten round numbers of seconds.
func (a axis) ticks() []Tick {
	seconds := a.span.Seconds()
	step := math.Pow(10, math.Floor(math.Log10(seconds/5)))
	for _, f := range []float64{1, 2, 5, 10} {
		if seconds/(step*f) <= 10 {
			step *= f
			break
		}
	}
	digits := max(0, -int(math.Floor(math.Log10(step)+1e-9)))
	var all []Tick
	before := a.zero.Sub(a.start).Seconds()
	for i := -int(before/step + 1e-4); float64(i)*step <= (seconds-before)+step/1e4; i++ {
		at := time.Duration(float64(i) * step * float64(time.Second))
		all = append(all, Tick{a.place(a.zero.Add(at)), strconv.FormatFloat(float64(i)*step, 'f', digits, 64) + " s"})
	}
	return all
}

// since is a moment as people read it.
func (a axis) since(t time.Time) string { return fmt.Sprintf("%+.3f s", t.Sub(a.zero).Seconds()) }
