package bench

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"time"
)

// trial is one turn of a variant. It gives one or more samples.
type trial struct {
	// name says what is run, for people.
	name string
	// measures are those that it gives samples of.
	measures []string
	run      func(ctx context.Context, b *Bench, round int) ([]Sample, error)
}

// trials are the turns of every round.
func trials() []trial {
	var list []trial
	for _, v := range []struct {
		name  string
		shape shape
	}{
		{NativeStock, shape{kubelet: Stock, native: true}},
		{Native, shape{kubelet: GateOn, native: true}},
		{Sidecar, shape{kubelet: GateOn}},
	} {
		v.shape.sidecars, v.shape.exitAfter = 1, appRuns
		list = append(list, trial{"Job, " + v.name, []string{ReadyToStart, ExitToTerm, ExitToComplete},
			func(ctx context.Context, b *Bench, round int) ([]Sample, error) {
				return b.job(ctx, round, v.name, v.shape)
			}})
	}
	for _, variant := range []string{Native, Sidecar} {
		for _, n := range Sidecars {
			name := counted(variant, n)
			measures := []string{Start, ObjectSize}
			if n == 1 {
				measures = append(measures, DeleteToGone)
			}
			s := shape{kubelet: GateOn, native: variant == Native, sidecars: n, exitAfter: -1}
			list = append(list, trial{"pod, " + name, measures,
				func(ctx context.Context, b *Bench, round int) ([]Sample, error) {
					return b.pod(ctx, round, name, s)
				}})
		}
	}
	for _, kubelet := range kubelets {
		list = append(list, trial{"pod, " + kubelet, []string{PodLatency, DeleteToGone},
			func(ctx context.Context, b *Bench, round int) ([]Sample, error) {
				return b.pod(ctx, round, kubelet, shape{kubelet: kubelet, exitAfter: -1})
			}})
		list = append(list, trial{"churn, " + kubelet, []string{ChurnLatency, ChurnRate, ChurnCPU, ChurnMemory},
			func(ctx context.Context, b *Bench, round int) ([]Sample, error) {
				return b.churn(ctx, round, kubelet)
			}})
	}
	// All kubelets rest at the same time.
	return append(list, trial{"rest", []string{RestCPU, RestMemory},
		func(ctx context.Context, b *Bench, round int) ([]Sample, error) { return b.rest(ctx, round) }})
}

// appRuns is how long the app of a Job runs, so that the kubelet is idle when it ends.
const appRuns = 1500 * time.Millisecond

// plan returns the turns of a round, in an order that is drawn from the seed, without
// those that no measure needs.
func plan(measures []Measure, seed uint64, round int) []trial {
	list := slices.DeleteFunc(trials(), func(t trial) bool {
		return !slices.ContainsFunc(measures, func(m Measure) bool { return slices.Contains(t.measures, m.Name) })
	})
	random := rand.New(rand.NewPCG(seed, uint64(round)))
	random.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list
}

// readyAfter is how long sidecars take to become ready in a round. Between two looks of
// a probe that comes every second it makes a difference when that is, so the rounds are
// spread evenly over a second, whatever their number is.
func readyAfter(round int) time.Duration {
	const golden = 0.6180339887498949
	_, fraction := math.Modf(float64(round) * golden)
	return 500*time.Millisecond + time.Duration(fraction*1000)*time.Millisecond
}

// keep returns the samples of the measures.
func keep(samples []Sample, measures []Measure) []Sample {
	return slices.DeleteFunc(samples, func(s Sample) bool {
		return !slices.ContainsFunc(measures, func(m Measure) bool { return m.Name == s.Measure })
	})
}

// needsNodes returns true if a measure needs what kubelets use, which is read on nodes.
func needsNodes(measures []Measure) bool {
	return slices.ContainsFunc(plan(measures, 0, 1), func(t trial) bool {
		return slices.Contains(t.measures, ChurnCPU) || slices.Contains(t.measures, RestCPU)
	})
}
