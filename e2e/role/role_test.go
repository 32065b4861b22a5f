package role

import (
	"slices"
	"testing"

	"sigs.k8s.io/yaml"
)

func TestOf(t *testing.T) {
	var spec map[string]any
	if err := yaml.Unmarshal([]byte(`
initContainers:
- {name: setup}
- {name: native, restartPolicy: Always}
- {name: late}
containers:
- {name: app}
- {name: proxy, lifecycle: {type: Sidecar}}
- {name: standard, lifecycle: {type: Standard}}
- {name: hook, lifecycle: {preStop: {}}}
ephemeralContainers:
- {name: debug}
`), &spec); err != nil {
		t.Fatal(err)
	}
	want := []Container{
		{"setup", Init}, {"native", Native}, {"late", Init}, {"proxy", Sidecar},
		{"app", App}, {"standard", App}, {"hook", App}, {"debug", Ephemeral},
	}
	if got := Of(spec); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got := Of(map[string]any{"containers": []any{"no container"}}); len(got) != 0 {
		t.Errorf("a broken spec: got %v, want nothing", got)
	}
}

func TestListFindsThePodsOfAnObject(t *testing.T) {
	app, proxy := Container{"app", App}, Container{"proxy", Sidecar}
	list := List{
		{"Deployment", "web", []Container{app}},
		{"Job", "web-job", []Container{proxy, app}},
		{"Pod", "pod", []Container{app}},
		{"Pod", "pod", []Container{{"debug", Ephemeral}}},
		{"StatefulSet", "changed", []Container{app, {"proxy", App}}},
		{"StatefulSet", "changed", []Container{app, proxy}},
	}
	for _, c := range []struct {
		pod  string
		want []Container
	}{
		{"web-64d7b7fdd8-5q4h8", []Container{app}},
		{"web-job-x2x4z", []Container{proxy, app}},
		{"pod", []Container{app, {"debug", Ephemeral}}},
		// A static pod carries the name of its node.
		{"pod-sidecar-control-plane", []Container{app, {"debug", Ephemeral}}},
		{"changed-0", []Container{proxy, app}},
		{"webs", nil},
		{"other", nil},
	} {
		if got := list.Of(c.pod); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %v, want %v", c.pod, got, c.want)
		}
	}
	if got := (List{{"Pod", "", []Container{app}}}).Of("pod"); got != nil {
		t.Errorf("an object without a name fits every pod: %v", got)
	}
}
