package bench

import (
	"slices"
	"strings"
	"testing"
)

// Every variant of every measure has to have a turn that gives samples of it, and every
// comparison has to be between variants of the measure.
func TestMeasuresAreWhole(t *testing.T) {
	given := map[string]bool{}
	for _, tr := range trials() {
		_, variant, one := strings.Cut(tr.name, ", ")
		variants := []string{variant}
		if !one {
			variants = kubelets
		}
		for _, m := range tr.measures {
			for _, v := range variants {
				given[m+" "+v] = true
			}
		}
	}
	names := map[string]bool{}
	for _, m := range Measures() {
		if names[m.Name] {
			t.Errorf("two measures are named %s", m.Name)
		}
		names[m.Name] = true
		for _, v := range m.Variants {
			if !given[m.Name+" "+v] {
				t.Errorf("no turn measures %s of %s", m.Name, v)
			}
			delete(given, m.Name+" "+v)
		}
		if m.Title == "" || m.Unit == "" || len(m.Comparisons) == 0 {
			t.Errorf("%s lacks a title, a unit or a comparison", m.Name)
		}
		for _, c := range m.Comparisons {
			if c.Variant == c.Base || !slices.Contains(m.Variants, c.Variant) || !slices.Contains(m.Variants, c.Base) {
				t.Errorf("%s compares %s with %s", m.Name, c.Variant, c.Base)
			}
		}
	}
	for m := range given {
		t.Errorf("a turn measures %s, which is none", m)
	}
}

func TestGoals(t *testing.T) {
	want := map[string]float64{
		"ready-to-start sidecar native": 0.4, "exit-to-term sidecar native": 0.4,
		"start sidecar-2 sidecar-1": 1.2, "start sidecar-4 sidecar-1": 1.2, "start sidecar-8 sidecar-1": 1.2,
		"pod-latency gate-off stock": 1.02, "pod-latency gate-on stock": 1.02,
		"churn-latency gate-off stock": 1.02, "churn-latency gate-on stock": 1.02,
		"churn-cpu gate-off stock": 1.02, "churn-cpu gate-on stock": 1.02,
	}
	for _, m := range Measures() {
		for _, c := range m.Comparisons {
			name := strings.Join([]string{m.Name, c.Variant, c.Base}, " ")
			if c.AtMost != want[name] {
				t.Errorf("%s: the goal is %v, want %v", name, c.AtMost, want[name])
			}
			delete(want, name)
		}
	}
	for name := range want {
		t.Errorf("%s is missing", name)
	}
}

func TestChoose(t *testing.T) {
	all, err := Choose(nil)
	if err != nil || len(all) != len(Measures()) {
		t.Errorf("no names: got %d measures, %v", len(all), err)
	}
	some, err := Choose([]string{ChurnCPU, ReadyToStart})
	if err != nil || len(some) != 2 || some[0].Name != ReadyToStart || some[1].Name != ChurnCPU {
		t.Errorf("got %v, %v", some, err)
	}
	if _, err := Choose([]string{Start, "speed"}); err == nil || !strings.Contains(err.Error(), `"speed"`) || !strings.Contains(err.Error(), ReadyToStart) {
		t.Errorf("got %v, want an error that names the measures", err)
	}
}

func TestFormat(t *testing.T) {
	for want, got := range map[string]string{
		"0.123 s": Seconds.Format(0.1234), "4096 B": Bytes.Format(4096), "88.1 MiB": MiB.Format(88.12),
		"60.0 pods/min": PodsPerMinute.Format(60), "0.0714 CPU s/pod": CPUPerPod.Format(0.07142),
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
