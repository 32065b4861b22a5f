package bench

import (
	"slices"
	"strings"
	"testing"
	"time"

	"sigs.k8s.io/yaml"

	"sidecar-node/e2e/role"
)

func TestManifests(t *testing.T) {
	for _, c := range []struct {
		name  string
		shape shape
		roles []role.Role
		has   []string
		not   string
	}{
		{"plain, for ever", shape{kubelet: Stock, exitAfter: -1}, []role.Role{role.App}, []string{"sidecar-node/kubelet: stock", "--exit-after=never"}, "Probe"},
		{"plain, at once", shape{kubelet: GateOff}, []role.Role{role.App}, []string{"sidecar-node/kubelet: gate-off", "--exit-after=0s"}, "lifecycle"},
		{"native", shape{kubelet: GateOn, sidecars: 2, native: true, readyAfter: 700 * time.Millisecond, exitAfter: time.Second}, []role.Role{role.Native, role.Native, role.App},
			[]string{"startupProbe", "--ready-after=700ms", "--exit-after=1s", "periodSeconds: 1"}, "lifecycle"},
		{"ours", shape{kubelet: GateOn, sidecars: 2, readyAfter: 700 * time.Millisecond, exitAfter: time.Second}, []role.Role{role.Sidecar, role.Sidecar, role.App},
			[]string{"readinessProbe", "--ready-after=700ms", "--exit-after=1s", "periodSeconds: 1"}, "restartPolicy: Always"},
	} {
		pod, err := c.shape.pod("pod")
		if err != nil {
			t.Fatal(err)
		}
		job, err := c.shape.job("job")
		if err != nil {
			t.Fatal(err)
		}
		for kind, text := range map[string]string{"Pod": pod, "Job": job} {
			var o struct {
				Kind string
				Spec map[string]any
			}
			if err := yaml.Unmarshal([]byte(text), &o); err != nil || o.Kind != kind {
				t.Fatalf("%s: got %v, %v", c.name, o, err)
			}
			spec := o.Spec
			if kind == "Job" {
				spec = spec["template"].(map[string]any)["spec"].(map[string]any)
			}
			var roles []role.Role
			for _, container := range role.Of(spec) {
				roles = append(roles, container.Role)
			}
			if !slices.Equal(roles, c.roles) {
				t.Errorf("%s, %s: got %v, want %v", c.name, kind, roles, c.roles)
			}
			for _, want := range c.has {
				if !strings.Contains(text, want) {
					t.Errorf("%s, %s: want %q in\n%s", c.name, kind, want, text)
				}
			}
			if strings.Contains(text, c.not) {
				t.Errorf("%s, %s: want no %q in\n%s", c.name, kind, c.not, text)
			}
		}
	}
}
