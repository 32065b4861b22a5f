// Package bench measures how long pods take to start and to end, and what they cost a
// kubelet, on nodes of one cluster: pods without sidecars, with native sidecars, and
// with containers of lifecycle type Sidecar. All variants take turns, so that whatever
// else the machine does hits each of them.
package bench

import (
	"fmt"
	"slices"
	"strings"
)

// Unit is what a measure is counted in.
type Unit string

// The units. CPU is that of the kubelet's process alone.
const (
	Seconds       Unit = "s"
	Bytes         Unit = "B"
	MiB           Unit = "MiB"
	PodsPerMinute Unit = "pods/min"
	CPUPerPod     Unit = "CPU s/pod"
	CPUPerSecond  Unit = "CPU s/s"
)

// Format prints a value with its unit.
func (u Unit) Format(v float64) string {
	digits := 3
	switch u {
	case Bytes:
		digits = 0
	case MiB, PodsPerMinute:
		digits = 1
	case CPUPerPod, CPUPerSecond:
		digits = 4
	}
	return fmt.Sprintf("%.*f %s", digits, v, u)
}

// Comparison sets a variant against another one of the same measure.
type Comparison struct {
	Variant, Base string
	// AtMost is the goal for the ratio of the medians; zero means that there is none.
	AtMost float64
}

// Measure is something that is measured.
type Measure struct {
	// Name is that of its files and of --only.
	Name string
	// Title says what is measured, in a few words.
	Title string
	Unit  Unit
	// Variants are in the order of the table.
	Variants    []string
	Comparisons []Comparison
}

// Names of measures.
const (
	ReadyToStart   = "ready-to-start"
	ExitToTerm     = "exit-to-term"
	ExitToComplete = "exit-to-complete"
	Start          = "start"
	DeleteToGone   = "delete-to-gone"
	ObjectSize     = "object-size"
	PodLatency     = "pod-latency"
	ChurnLatency   = "churn-latency"
	ChurnRate      = "pods-per-minute"
	ChurnCPU       = "churn-cpu"
	ChurnMemory    = "churn-memory"
	RestCPU        = "rest-cpu"
	RestMemory     = "rest-memory"
)

// Variants with one pod shape. Those of pods without sidecars are named after the value
// of the label of their node; those of n sidecars end in -n.
const (
	Stock       = "stock"
	GateOff     = "gate-off"
	GateOn      = "gate-on"
	Native      = "native"
	NativeStock = "native-stock"
	Sidecar     = "sidecar"
)

// The goals.
const (
	goalSequence = 0.4  // of a native sidecar
	goalMany     = 1.2  // of one sidecar
	goalOrdinary = 1.02 // of stock Kubernetes
)

// Sidecars are the numbers of sidecars whose start is measured.
var Sidecars = []int{1, 2, 4, 8}

func counted(variant string, n int) string { return fmt.Sprintf("%s-%d", variant, n) }

// kubelets are the nodes that are compared for pods without sidecars.
var kubelets = []string{Stock, GateOff, GateOn}

// Measures returns all measures, in the order of the table.
func Measures() []Measure {
	sequence := func(name, title string, goal float64) Measure {
		return Measure{name, title, Seconds, []string{NativeStock, Native, Sidecar},
			[]Comparison{{Native, NativeStock, 0}, {Sidecar, Native, goal}}}
	}
	ordinary := func(name, title string, unit Unit, goal float64) Measure {
		return Measure{name, title, unit, kubelets, []Comparison{{GateOff, Stock, goal}, {GateOn, Stock, goal}}}
	}
	start := Measure{Name: Start, Title: "start of the first container to start of the app, 1 to 8 sidecars", Unit: Seconds}
	size := Measure{Name: ObjectSize, Title: "a running pod as JSON", Unit: Bytes}
	for _, variant := range []string{Native, Sidecar} {
		for _, n := range Sidecars {
			v := counted(variant, n)
			start.Variants, size.Variants = append(start.Variants, v), append(size.Variants, v)
			if variant == Sidecar {
				start.Comparisons = append(start.Comparisons, Comparison{v, counted(Native, n), 0})
				size.Comparisons = append(size.Comparisons, Comparison{v, counted(Native, n), 0})
			}
			if n == 1 {
				continue
			}
			goal := 0.0
			if variant == Sidecar {
				goal = goalMany
			}
			start.Comparisons = append(start.Comparisons, Comparison{v, counted(variant, 1), goal})
		}
	}
	gone := ordinary(DeleteToGone, "deletion to the end of the pod", Seconds, 0)
	native, sidecar := counted(Native, 1), counted(Sidecar, 1)
	gone.Variants = slices.Concat(gone.Variants, []string{native, sidecar})
	gone.Comparisons = append(gone.Comparisons, Comparison{sidecar, native, 0})
	return []Measure{
		sequence(ReadyToStart, "sidecar ready to start of the app", goalSequence),
		sequence(ExitToTerm, "exit of the app to TERM at the sidecar", goalSequence),
		sequence(ExitToComplete, "exit of the app to condition Complete of its Job", 0),
		start, gone, size,
		ordinary(PodLatency, "creation to start of the app, one pod without sidecars", Seconds, goalOrdinary),
		ordinary(ChurnLatency, "the same in a batch, median of the batch", Seconds, goalOrdinary),
		ordinary(ChurnRate, "pods without sidecars, creation to end of the pod", PodsPerMinute, 0),
		ordinary(ChurnCPU, "CPU of the kubelet during that", CPUPerPod, goalOrdinary),
		ordinary(ChurnMemory, "resident memory of the kubelet after that", MiB, 0),
		ordinary(RestCPU, "CPU of the kubelet at rest", CPUPerSecond, 0),
		ordinary(RestMemory, "resident memory of the kubelet at rest", MiB, 0),
	}
}

// Choose returns the measures with the names, all of them if there are none.
func Choose(names []string) ([]Measure, error) {
	all := Measures()
	if len(names) == 0 {
		return all, nil
	}
	var known []string
	for _, m := range all {
		known = append(known, m.Name)
	}
	for _, n := range names {
		if !slices.Contains(known, n) {
			return nil, fmt.Errorf("there is no measure %q, want some of %s", n, strings.Join(known, ","))
		}
	}
	return slices.DeleteFunc(all, func(m Measure) bool { return !slices.Contains(names, m.Name) }), nil
}
