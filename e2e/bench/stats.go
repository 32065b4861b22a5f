package bench

import (
	"errors"
	"maps"
	"math/rand/v2"
	"slices"

	"golang.org/x/perf/benchmath"
	"gonum.org/v1/gonum/stat"
)

// byRound holds the values of a variant by round.
type byRound map[int][]float64

// all returns the values in the order of the rounds.
func (r byRound) all() []float64 {
	var values []float64
	for _, round := range slices.Sorted(maps.Keys(r)) {
		values = append(values, r[round]...)
	}
	return values
}

// median is the middle value, or the mean of the two middle ones; there has to be one.
func median(values []float64) float64 {
	sample := benchmath.NewSample(slices.Clone(values), &benchmath.DefaultThresholds)
	return benchmath.AssumeNothing.Summary(sample, confidence).Center
}

// p99 is the 99th percentile by nearest rank: the maximum of fewer than 100 values.
func p99(values []float64) float64 {
	return stat.Quantile(0.99, stat.Empirical, slices.Sorted(slices.Values(values)), nil)
}

const (
	confidence = 0.95
	resamples  = 2000
)

// ratio is the ratio of two medians, with its bootstrap confidence interval.
type ratio struct {
	value, low, high float64
	// rounds is how many it is from.
	rounds int
}

// enough is how many rounds it takes until an interval is one of 95 %: of fewer values
// the smallest and the largest have the median between them less often.
const enough = 6

// compare returns the ratio of the median of variant to that of base. Rounds are
// resampled as a whole: what the machine did in a round has hit both. The interval is
// the same every time for the same values. It is an error if no round has both, or if
// the base is zero.
func compare(variant, base byRound) (ratio, error) {
	rounds := slices.Sorted(maps.Keys(variant))
	rounds = slices.DeleteFunc(rounds, func(n int) bool { return len(base[n]) == 0 })
	if len(rounds) == 0 {
		return ratio{}, errors.New("no round has samples of both")
	}
	below := median(base.all())
	if below == 0 {
		return ratio{}, errors.New("the median of what it is compared with is 0")
	}
	r := ratio{value: median(variant.all()) / below, rounds: len(rounds)}
	random := rand.New(rand.NewPCG(1, uint64(len(rounds))))
	found := make([]float64, resamples)
	for i := range found {
		var v, b []float64
		for range rounds {
			n := rounds[random.IntN(len(rounds))]
			v, b = append(v, variant[n]...), append(b, base[n]...)
		}
		found[i] = median(v) / median(b)
	}
	slices.Sort(found)
	tail := (1 - confidence) / 2
	r.low = stat.Quantile(tail, stat.Empirical, found, nil)
	r.high = stat.Quantile(1-tail, stat.Empirical, found, nil)
	return r, nil
}
