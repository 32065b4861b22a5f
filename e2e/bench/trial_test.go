package bench

import (
	"slices"
	"testing"
	"time"
)

func planned(t *testing.T, seed uint64, round int, only ...string) []string {
	t.Helper()
	measures, err := Choose(only)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, tr := range plan(measures, seed, round) {
		names = append(names, tr.name)
	}
	return names
}

func TestEveryRoundHasEveryTurnInAnotherOrder(t *testing.T) {
	first, second := planned(t, 7, 1), planned(t, 7, 2)
	if slices.Equal(first, second) {
		t.Error("two rounds have the same order")
	}
	if !slices.Equal(first, planned(t, 7, 1)) {
		t.Error("a seed does not give the same order again")
	}
	if slices.Equal(first, planned(t, 8, 1)) {
		t.Error("two seeds give the same order")
	}
	slices.Sort(first)
	slices.Sort(second)
	if !slices.Equal(first, second) || len(slices.Compact(first)) != len(second) {
		t.Errorf("the turns are %v and %v", first, second)
	}
}

func TestOnlyTheTurnsThatAreNeeded(t *testing.T) {
	for _, c := range []struct {
		only  string
		want  []string
		nodes bool
	}{
		{ExitToTerm, []string{"Job, native", "Job, native-stock", "Job, sidecar"}, false},
		{PodLatency, []string{"pod, gate-off", "pod, gate-on", "pod, stock"}, false},
		{ChurnRate, []string{"churn, gate-off", "churn, gate-on", "churn, stock"}, true},
		{RestMemory, []string{"rest"}, true},
	} {
		got := planned(t, 1, 1, c.only)
		slices.Sort(got)
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: got %v, want %v", c.only, got, c.want)
		}
		measures, _ := Choose([]string{c.only})
		if needsNodes(measures) != c.nodes {
			t.Errorf("%s: needs nodes: %v, want %v", c.only, !c.nodes, c.nodes)
		}
	}
}

func TestReadinessIsSpreadOverASecond(t *testing.T) {
	var tenths [10]int
	for round := 1; round <= 20; round++ {
		d := readyAfter(round) - 500*time.Millisecond
		if d < 0 || d >= time.Second {
			t.Fatalf("round %d: ready after %v", round, readyAfter(round))
		}
		tenths[d/(100*time.Millisecond)]++
	}
	for i, n := range tenths {
		if n < 1 || n > 3 {
			t.Errorf("%d of 20 rounds are in tenth %d, want 1 to 3", n, i)
		}
	}
}

func TestKeep(t *testing.T) {
	measures, _ := Choose([]string{ExitToTerm})
	got := keep([]Sample{{1, ReadyToStart, Native, 1}, {1, ExitToTerm, Native, 2}}, measures)
	if len(got) != 1 || got[0].Measure != ExitToTerm {
		t.Errorf("got %v", got)
	}
}
