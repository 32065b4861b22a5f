// Package soak runs many random pods with sidecars on a cluster whose kubelets are
// killed at random, and judges each pod by the contract. What a pod looks like is
// drawn from a seed, so that a violation can be repeated.
package soak

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"sigs.k8s.io/yaml"
)

// Shape is a random pod.
type Shape struct {
	// Policy is the restart policy of the pod.
	Policy string
	// Grace is its grace period, in seconds.
	Grace int
	App   App
	// Native says that the pod has a native sidecar as well.
	Native   bool
	Sidecars []Sidecar
	// DeleteAfter is when the pod is deleted, counted from its creation. It is zero
	// for a pod that ends by itself.
	DeleteAfter time.Duration
}

// App is the app container.
type App struct {
	// ExitAfter is how long it runs; zero means for ever.
	ExitAfter time.Duration
	// Codes are the exit codes of its runs; the last one goes on.
	Codes []int
	Stop  Stop
}

// Sidecar is a container of lifecycle type Sidecar.
type Sidecar struct {
	Startup, Readiness bool
	// ReadyAfter is how long it takes to become ready.
	ReadyAfter time.Duration
	// PostStart is how long its hook takes; zero means that it has none.
	PostStart time.Duration
	// CrashAfter is when it crashes in its first run; zero means never.
	CrashAfter time.Duration
	Code       int
	Stop       Stop
}

// Stop is how a container takes it to be stopped.
type Stop struct {
	// PreStop is how long its hook takes; zero means that it has none.
	PreStop time.Duration
	// Delay is how long it needs after TERM. Deaf ones ignore it.
	Delay time.Duration
	Deaf  bool
}

// Draw returns a random shape.
func Draw(r *rand.Rand) Shape {
	millis := func(limit int) time.Duration { return time.Duration(r.IntN(limit/100+1)) * 100 * time.Millisecond }
	one := func(in int) bool { return r.IntN(in) == 0 }
	stop := func() Stop {
		s := Stop{Deaf: one(6)}
		if one(3) {
			s.PreStop = 100*time.Millisecond + millis(1500)
		}
		if !s.Deaf && one(2) {
			s.Delay = millis(2000)
		}
		return s
	}
	s := Shape{
		Policy: []string{"Never", "OnFailure", "Always"}[r.IntN(3)],
		// Longer than a hook may take to begin and a container that hears TERM to end,
		// so that most pods have no excuse.
		Grace:  4 + r.IntN(4),
		Native: one(4),
		App:    App{ExitAfter: 300*time.Millisecond + millis(3000), Codes: []int{0}, Stop: stop()},
	}
	for range 1 + r.IntN(4) {
		sc := Sidecar{Startup: one(3), Readiness: one(2), ReadyAfter: millis(2000), Code: []int{0, 1, 143}[r.IntN(3)], Stop: stop()}
		if one(4) {
			sc.PostStart = 100*time.Millisecond + millis(1000)
		}
		if one(5) {
			sc.CrashAfter = 200*time.Millisecond + millis(2000)
		}
		s.Sidecars = append(s.Sidecars, sc)
	}
	switch {
	case s.Policy == "Always":
		s.App.ExitAfter = 0
		s.DeleteAfter = 100*time.Millisecond + millis(8000)
	case one(4):
		s.DeleteAfter = 100*time.Millisecond + millis(6000)
	case one(4) && s.Policy == "OnFailure":
		s.App.Codes = []int{1, 0}
	case one(4) && s.Policy == "Never":
		s.App.Codes = []int{3}
	}
	return s
}

// Simpler returns the shapes that have one thing less each.
func (s Shape) Simpler() []Shape {
	var shapes []Shape
	add := func(change func(*Shape)) {
		c := s
		c.Sidecars = append([]Sidecar{}, s.Sidecars...)
		change(&c)
		if fmt.Sprint(c) != fmt.Sprint(s) {
			shapes = append(shapes, c)
		}
	}
	for i := range s.Sidecars {
		if len(s.Sidecars) > 1 {
			add(func(c *Shape) { c.Sidecars = append(c.Sidecars[:i], c.Sidecars[i+1:]...) })
		}
		add(func(c *Shape) { c.Sidecars[i].Stop = Stop{} })
		add(func(c *Shape) { c.Sidecars[i].PostStart = 0 })
		add(func(c *Shape) { c.Sidecars[i].CrashAfter = 0 })
		add(func(c *Shape) { c.Sidecars[i].Startup = false })
		add(func(c *Shape) { c.Sidecars[i].Readiness = false })
		add(func(c *Shape) { c.Sidecars[i].Code = 0 })
	}
	add(func(c *Shape) { c.Native = false })
	add(func(c *Shape) { c.App.Stop = Stop{} })
	add(func(c *Shape) { c.App.Codes = []int{0} })
	return shapes
}

// Manifest returns the pod in YAML.
func (s Shape) Manifest(name string) (string, error) {
	containers := []any{map[string]any{"name": "app", "args": s.App.args(), "lifecycle": s.App.Stop.lifecycle(map[string]any{})}}
	for i, sc := range s.Sidecars {
		c := map[string]any{"name": sidecarName(i), "args": sc.args()}
		lifecycle := sc.Stop.lifecycle(map[string]any{"type": "Sidecar"})
		if sc.PostStart > 0 {
			lifecycle["postStart"] = hook("postStart", sc.PostStart)
		}
		c["lifecycle"] = lifecycle
		probe := map[string]any{"exec": map[string]any{"command": []any{"/probe", "ready"}}, "periodSeconds": 1, "failureThreshold": 600}
		if sc.Startup {
			c["startupProbe"] = probe
		}
		if sc.Readiness {
			c["readinessProbe"] = probe
		}
		containers = append(containers, c)
	}
	// The place in the list must not matter.
	if len(containers) > 2 {
		containers[0], containers[1] = containers[1], containers[0]
	}
	spec := map[string]any{"restartPolicy": s.Policy, "terminationGracePeriodSeconds": s.Grace, "containers": containers}
	if s.Native {
		spec["initContainers"] = []any{map[string]any{"name": "native", "restartPolicy": "Always"}}
	}
	data, err := yaml.Marshal(map[string]any{"apiVersion": "v1", "kind": "Pod", "metadata": map[string]any{"name": name}, "spec": spec})
	return string(data), err
}

func sidecarName(i int) string { return fmt.Sprintf("sidecar-%d", i+1) }

func (a App) args() []any {
	var args []any
	if a.ExitAfter > 0 {
		codes := strings.Trim(strings.ReplaceAll(fmt.Sprint(a.Codes), " ", ","), "[]")
		args = append(args, "--exit-after="+a.ExitAfter.String(), "--exit-code="+codes)
	}
	return append(args, a.Stop.args()...)
}

func (sc Sidecar) args() []any {
	args := []any{"--ready-after=" + sc.ReadyAfter.String(), fmt.Sprintf("--term-code=%d", sc.Code)}
	if sc.CrashAfter > 0 {
		args = append(args, "--exit-after="+sc.CrashAfter.String()+",never", "--exit-code=1")
	}
	return append(args, sc.Stop.args()...)
}

func (st Stop) args() []any {
	switch {
	case st.Deaf:
		return []any{"--on-term=ignore"}
	case st.Delay > 0:
		return []any{"--on-term=delay:" + st.Delay.String()}
	}
	return nil
}

func (st Stop) lifecycle(l map[string]any) map[string]any {
	if st.PreStop > 0 {
		l["preStop"] = hook("preStop", st.PreStop)
	}
	return l
}

func hook(name string, takes time.Duration) map[string]any {
	return map[string]any{"exec": map[string]any{"command": []any{"/probe", "hook", name, "--takes=" + takes.String()}}}
}
