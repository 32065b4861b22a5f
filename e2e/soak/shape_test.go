package soak

import (
	"math/rand/v2"
	"reflect"
	"testing"

	"sigs.k8s.io/yaml"
)

func TestDrawRepeatsItself(t *testing.T) {
	draw := func() []Shape {
		r := rand.New(rand.NewPCG(7, 753))
		var shapes []Shape
		for range 200 {
			shapes = append(shapes, Draw(r))
		}
		return shapes
	}
	shapes := draw()
	if !reflect.DeepEqual(shapes, draw()) {
		t.Error("the same seed gives other shapes")
	}
	seen := map[string]int{}
	for _, s := range shapes {
		seen[s.Policy]++
		if s.DeleteAfter == 0 && s.App.ExitAfter == 0 {
			t.Errorf("never ends: %+v", s)
		}
		if n := len(s.Sidecars); n < 1 || n > 4 {
			t.Errorf("%d sidecars", n)
		}
	}
	if len(seen) != 3 {
		t.Errorf("not every policy is drawn: %v", seen)
	}
}

func TestManifestIsAPod(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 100 {
		text, err := Draw(r).Manifest("pod-1")
		if err != nil {
			t.Fatal(err)
		}
		var o struct {
			Kind string
			Spec struct {
				Containers []struct {
					Name      string
					Lifecycle struct{ Type string }
				}
			}
		}
		if err := yaml.Unmarshal([]byte(text), &o); err != nil {
			t.Fatal(err)
		}
		apps := 0
		for _, c := range o.Spec.Containers {
			if c.Lifecycle.Type != "Sidecar" {
				apps++
			}
		}
		if o.Kind != "Pod" || apps != 1 || len(o.Spec.Containers) < 2 {
			t.Errorf("want one app and sidecars:\n%s", text)
		}
	}
}

func TestSimplerHasOneThingLess(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	for range 50 {
		s := Draw(r)
		before := mustManifest(t, s)
		for _, simpler := range s.Simpler() {
			if mustManifest(t, simpler) == before {
				t.Errorf("no simpler: %+v", simpler)
			}
		}
		if mustManifest(t, s) != before {
			t.Error("the shape itself was changed")
		}
	}
	plain := Shape{Policy: "Never", App: App{Codes: []int{0}}, Sidecars: []Sidecar{{}}}
	if len(plain.Simpler()) != 0 {
		t.Errorf("there is nothing simpler than the plainest shape: %+v", plain.Simpler())
	}
}

func mustManifest(t *testing.T, s Shape) string {
	t.Helper()
	text, err := s.Manifest("pod")
	if err != nil {
		t.Fatal(err)
	}
	return text
}
