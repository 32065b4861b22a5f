package bench

import (
	"fmt"
	"time"

	"sigs.k8s.io/yaml"
)

// kubeletLabel says which kubelet a node has: stock, gate-off or gate-on.
const kubeletLabel = "sidecar-node/kubelet"

// shape is a pod that is measured. The containers are probes, which write down when they
// start, are ready, are asked to stop, and end.
type shape struct {
	// kubelet is the node that the pod goes to.
	kubelet string
	// sidecars is how many it has, of the kind native or, if that is not set, of
	// lifecycle type Sidecar.
	sidecars int
	native   bool
	// readyAfter is how long a sidecar takes to become ready.
	readyAfter time.Duration
	// exitAfter is how long the app runs; negative means until it is asked to stop.
	exitAfter time.Duration
}

// app and sidecarName name the containers.
const app = "app"

func sidecarName(i int) string { return fmt.Sprintf("sidecar-%d", i) }

// podSpec is the spec of the pod. Both kinds of sidecars run the same probe every
// second: as a startup probe where a native one is waited for by that, and as a readiness
// probe where lifecycle type Sidecar is.
func (s shape) podSpec() map[string]any {
	end := "never"
	if s.exitAfter >= 0 {
		end = s.exitAfter.String()
	}
	containers := []any{map[string]any{"name": app, "args": []any{"--exit-after=" + end}}}
	var before []any
	for i := range s.sidecars {
		c := map[string]any{"name": sidecarName(i + 1), "args": []any{"--ready-after=" + s.readyAfter.String()}}
		probe := map[string]any{"exec": map[string]any{"command": []any{"/probe", "ready"}}, "periodSeconds": 1, "failureThreshold": 600}
		if s.native {
			c["restartPolicy"], c["startupProbe"] = "Always", probe
			before = append(before, c)
			continue
		}
		c["lifecycle"], c["readinessProbe"] = map[string]any{"type": "Sidecar"}, probe
		containers = append(containers, c)
	}
	spec := map[string]any{
		"restartPolicy": "Never",
		"nodeSelector":  map[string]any{kubeletLabel: s.kubelet},
		"containers":    containers,
	}
	if len(before) > 0 {
		spec["initContainers"] = before
	}
	return spec
}

// pod is the manifest of the pod.
func (s shape) pod(name string) (string, error) {
	return manifest("v1", "Pod", name, s.podSpec())
}

// job is the manifest of a Job that makes the pod once.
func (s shape) job(name string) (string, error) {
	return manifest("batch/v1", "Job", name, map[string]any{"backoffLimit": 0, "template": map[string]any{"spec": s.podSpec()}})
}

func manifest(version, kind, name string, spec map[string]any) (string, error) {
	data, err := yaml.Marshal(map[string]any{"apiVersion": version, "kind": kind, "metadata": map[string]any{"name": name}, "spec": spec})
	return string(data), err
}
