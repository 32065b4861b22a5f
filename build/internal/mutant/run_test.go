package mutant

import (
	"slices"
	"testing"
)

func TestControlRunsWhatTheMutantsRun(t *testing.T) {
	r := &Run{Mutants: []Mutant{
		{Name: "a", Component: kubelet, Specs: []string{"one", "two"}},
		{Name: "b", Component: "kube-apiserver", Specs: []string{"two"}},
		{Name: "c", Component: kubelet, Specs: []string{"three"}},
	}}
	if got := r.control().Specs; !slices.Equal(got, []string{"one", "two", "three"}) {
		t.Errorf("specs %q", got)
	}
	if got := r.components(); !slices.Equal(got, []string{kubelet, "kube-apiserver"}) {
		t.Errorf("components %q", got)
	}
	if got, want := repeat(r.names(r.control())...), `make e2e-mutants ARGS="--only a,b,c"`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got, want := repeat(r.names(r.Mutants[1])...), `make e2e-mutants ARGS="--only b"`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
