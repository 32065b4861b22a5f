package gantt

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestTheSizeOfAPageIsBounded(t *testing.T) {
	var lines []string
	for i := range 20000 {
		lines = append(lines, fmt.Sprintf("%d app start", 2*i), fmt.Sprintf("%d app exit 1", 2*i+1))
	}
	records := happen(t, lines...)
	var pods []Pod
	for range 300 {
		pods = append(pods, Pod{Name: "pod", Records: records[:40]})
	}
	spec := Spec{Name: "s", Pods: append([]Pod{{Name: "busy", Records: records}}, pods...), Failed: true, Failure: strings.Repeat("x", 1<<20)}
	doc, out := page(t, Page{Specs: []Spec{spec}})
	if len(out) > 400_000 {
		t.Errorf("%d bytes for one spec", len(out))
	}
	if !strings.Contains(text(doc), fmt.Sprintf("%d of 301 pods are drawn", maxPods)) {
		t.Error("the page doesn't say that it leaves out pods")
	}
}

func TestLabelsDoNotOverlap(t *testing.T) {
	records := happen(t, "0 app start", "5 app signal TERM", "5.01 app exit 0", "5.02 app start", "5.03 app exit 1", "100 app start")
	p := draw([]Pod{{Name: "pod", Records: records}})
	var shown []string
	for _, m := range p.Charts[0].Lanes[0].Marks {
		if m.Shown != "" {
			shown = append(shown, m.Shown+" "+m.Anchor)
		}
	}
	// Of two ends so close to each other the one with an error has the room.
	if want := []string{"TERM end", "exit 1 start"}; !slices.Equal(shown, want) {
		t.Errorf("got %q, want %q", shown, want)
	}
}

func TestTicks(t *testing.T) {
	for span, want := range map[time.Duration]string{
		0:                "0.00 s 0.01 s 0.02 s 0.03 s 0.04 s 0.05 s 0.06 s 0.07 s 0.08 s 0.09 s 0.10 s",
		10 * time.Second: "0 s 1 s 2 s 3 s 4 s 5 s 6 s 7 s 8 s 9 s 10 s",
		3 * time.Minute:  "0 s 20 s 40 s 60 s 80 s 100 s 120 s 140 s 160 s 180 s",
	} {
		var labels []string
		for _, tick := range newAxis(zero, zero, zero.Add(span)).ticks() {
			labels = append(labels, tick.Label)
		}
		if got := strings.Join(labels, " "); got != want {
			t.Errorf("%v: got %s, want %s", span, got, want)
		}
	}
}

func TestSecondsCountFromTheFirstRecord(t *testing.T) {
	p := draw([]Pod{{Name: "pod", Records: happen(t, "0 app start", "6 app exit 0"), Events: []Event{{At: zero.Add(-3 * time.Second), Text: "Scheduled: on a node"}}}})
	var labels []string
	for _, tick := range p.Ticks {
		labels = append(labels, tick.Label)
	}
	if got, want := strings.Join(labels, " "), "-3 s -2 s -1 s 0 s 1 s 2 s 3 s 4 s 5 s 6 s"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if bar := p.Charts[0].Lanes[0].Bars[0]; bar.X != round(92.0/3) || !strings.Contains(bar.Title, "+0.000 s to +6.000 s") {
		t.Errorf("got %+v", bar)
	}
	if got := p.Charts[0].Events; len(got) != 1 || got[0] != "-3.000 s  Scheduled: on a node" {
		t.Errorf("got %q", got)
	}
}

func TestAPodInWhichNothingHappenedLeavesTheAxisAlone(t *testing.T) {
	p := draw([]Pod{{Name: "waits", Containers: appAndProxy}, {Name: "pod", Records: happen(t, "0 app start", "6 app exit 0")}})
	if n := len(p.Charts); n != 2 || p.Ticks[len(p.Ticks)-1].Label != "6 s" {
		t.Errorf("%d charts, ticks %v", n, p.Ticks)
	}
}
