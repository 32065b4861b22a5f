package bench

import (
	"math"
	"strings"
	"testing"
)

func rounds(values ...float64) byRound {
	r := byRound{}
	for i, v := range values {
		r[i+1] = []float64{v}
	}
	return r
}

func TestMedianAndP99(t *testing.T) {
	hundred := make([]float64, 200)
	for i := range hundred {
		hundred[i] = float64(200 - i)
	}
	for _, c := range []struct {
		name        string
		values      []float64
		median, p99 float64
	}{
		{"one", []float64{3}, 3, 3},
		{"odd, unsorted", []float64{5, 1, 3}, 3, 5},
		{"even", []float64{4, 1, 2, 9}, 3, 9},
		{"few have their maximum as p99", []float64{1, 1, 1, 1, 1, 1, 1, 1, 1, 7}, 1, 7},
		{"two hundred", hundred, 100.5, 198},
	} {
		before := c.values[0]
		if got := median(c.values); math.Abs(got-c.median) > 1e-9 {
			t.Errorf("%s: median %v, want %v", c.name, got, c.median)
		}
		if got := p99(c.values); got != c.p99 {
			t.Errorf("%s: p99 %v, want %v", c.name, got, c.p99)
		}
		if c.values[0] != before {
			t.Errorf("%s: the values were sorted in place", c.name)
		}
	}
}

func TestCompare(t *testing.T) {
	same, err := compare(rounds(2, 2, 2), rounds(4, 4, 4))
	if err != nil || same != (ratio{0.5, 0.5, 0.5, 3}) {
		t.Errorf("constant values: got %v, %v", same, err)
	}
	wide, err := compare(rounds(1, 2, 3, 4, 5, 6, 7, 8, 9), rounds(5, 5, 5, 5, 5, 5, 5, 5, 5))
	if err != nil || wide.value != 1 || wide.low >= 0.8 || wide.low < 0.2 || wide.high <= 1.2 || wide.high > 1.8 {
		t.Errorf("spread values: got %v, %v", wide, err)
	}
	// What hits both in a round is no difference between them.
	paired, err := compare(rounds(1, 10, 1, 10, 1, 10, 1), rounds(2, 20, 2, 20, 2, 20, 2))
	if err != nil || paired != (ratio{0.5, 0.5, 0.5, 7}) {
		t.Errorf("slow rounds: got %v, %v", paired, err)
	}
	again, _ := compare(rounds(1, 2, 3, 4, 5, 6, 7, 8, 9), rounds(5, 5, 5, 5, 5, 5, 5, 5, 5))
	if again != wide {
		t.Errorf("the same values give %v and %v", wide, again)
	}
}

func TestCompareRefusesWhatCannotBeCompared(t *testing.T) {
	for want, c := range map[string][2]byRound{
		"no round": {{1: {1}}, {2: {1}}},
		"is 0":     {rounds(1, 1, 1), rounds(0, 0, 0)},
	} {
		if r, err := compare(c[0], c[1]); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, %v, want an error with %q", r, err, want)
		}
	}
}
