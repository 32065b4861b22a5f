package mutant

import (
	"errors"
	"strings"
	"testing"
	"time"

	"sidecar-node/build/internal/e2erun"
)

var (
	passed  = e2erun.Spec{Name: "pond is deep"}
	failed  = e2erun.Spec{Name: "pond is wide", Failed: true, Message: "\n  it is narrow\nmore"}
	noSetup = e2erun.Spec{Name: "SynchronizedBeforeSuite", Step: true, Failed: true, Message: "no cluster"}
)

func TestJudge(t *testing.T) {
	for _, c := range []struct {
		name           string
		specs          []string
		ran            []e2erun.Spec
		caught, missed int
		err            string
	}{
		{"caught", []string{"is wide"}, []e2erun.Spec{failed}, 1, 0, ""},
		{"another spec may pass", []string{"is wide"}, []e2erun.Spec{passed, failed}, 1, 0, ""},
		{"survives", []string{"is deep"}, []e2erun.Spec{passed}, 0, 1, ""},
		{"each spec has to fail", []string{"is deep", "is wide"}, []e2erun.Spec{passed, failed}, 1, 1, ""},
		{"nothing ran", []string{"is deep"}, nil, 0, 0, `no spec has run with "is deep"`},
		{"one has not run", []string{"is wide", "is round"}, []e2erun.Spec{failed}, 0, 0, `no spec has run with "is round"`},
		{"a set-up that fails catches nothing", []string{"is wide"}, []e2erun.Spec{failed, noSetup}, 0, 0, "SynchronizedBeforeSuite of the suite has failed"},
		{"no spec is named after a step", []string{"BeforeSuite"}, []e2erun.Spec{noSetup}, 0, 0, `no spec has run with "BeforeSuite"`},
	} {
		v, err := Judge(Mutant{Specs: c.specs}, c.ran)
		if len(v.Caught) != c.caught || len(v.Missed) != c.missed {
			t.Errorf("%s: got %+v", c.name, v)
		}
		if (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%s: got error %v, want %q", c.name, err, c.err)
		}
	}
}

func TestJudgeControl(t *testing.T) {
	if err := JudgeControl([]string{"is deep"}, []e2erun.Spec{passed}); err != nil {
		t.Error(err)
	}
	for want, ran := range map[string][]e2erun.Spec{
		"pond is wide: it is narrow":      {passed, failed},
		`no spec has run with "is deep"`:  nil,
		"SynchronizedBeforeSuite of the ": {passed, noSetup},
	} {
		if err := JudgeControl([]string{"is deep"}, ran); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

func TestTable(t *testing.T) {
	m := Mutant{Name: "narrow", Breaks: "ponds are wide"}
	got := Table([]Row{
		{Mutant: Mutant{Name: Control, Breaks: "nothing"}, Took: 90 * time.Second},
		{Mutant: m, Verdict: Verdict{Caught: []e2erun.Spec{failed}}, Took: 41400 * time.Millisecond},
		{Mutant: m, Verdict: Verdict{Missed: []string{"is deep"}}},
		{Mutant: m, Err: errors.New("no kubelet\nat all")},
	})
	want := "| mutant | what no longer holds | caught by | which says | seconds |\n|---|---|---|---|---|\n" +
		"| `none` | nothing | nothing |  | 90 |\n" +
		"| `narrow` | ponds are wide | pond is wide | it is narrow | 41 |\n" +
		"| `narrow` | ponds are wide | **survives** is deep |  | 0 |\n" +
		"| `narrow` | ponds are wide | **no verdict** | no kubelet | 0 |\n"
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}
