package framework

import (
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"sidecar-node/e2e/config"
)

func TestParse(t *testing.T) {
	objects, err := parse("# a comment\n---\nkind: Pod\nmetadata: {name: a}\n---\n---\nkind: Job\nmetadata: {name: b}\n")
	if err != nil || len(objects) != 2 || objects[0].GetName() != "a" || objects[1].GetKind() != "Job" {
		t.Errorf("got %v, %v", objects, err)
	}
	if _, err := parse("kind: Pod\nkind: Job\n"); err == nil || !strings.Contains(err.Error(), "kind") {
		t.Errorf("got %v, want an error about the key that is there twice", err)
	}
}

func TestInstrumentFindsEveryPodSpec(t *testing.T) {
	s := &Space{Cluster: &Cluster{Config: config.Config{Image: "probe:v1", Journal: config.Journal{HostPath: "/var/j"}}}, Namespace: "run-1"}
	const spec = `
containers:
- name: app
- name: other
  image: other:v2
  env: [{name: A, value: b}]
initContainers:
- name: native
`
	indent := func(n int) string {
		return strings.ReplaceAll(spec, "\n", "\n"+strings.Repeat(" ", n))
	}
	for kind, body := range map[string]string{
		"Pod":        "spec:" + indent(2),
		"Deployment": "spec:\n  template:\n    spec:" + indent(6),
		"CronJob":    "spec:\n  jobTemplate:\n    spec:\n      template:\n        spec:" + indent(10),
	} {
		objects, err := parse("kind: " + kind + "\n" + body)
		if err != nil {
			t.Fatal(err)
		}
		s.instrument(podSpec(objects[0]))
		data, err := yaml.Marshal(objects[0].Object)
		if err != nil {
			t.Fatal(err)
		}
		text := string(data)
		for part, n := range map[string]int{
			"image: probe:v1":               2,
			"image: other:v2":               1,
			"path: /var/j/run-1":            1,
			"mountPath: /journal":           3,
			"value: native":                 1,
			"name: A\n":                     1,
			"fieldPath: metadata.uid":       3,
			"automountServiceAccountToken:": 1,
		} {
			if got := strings.Count(text, part); got != n {
				t.Errorf("%s: %q occurs %d times, want %d, in\n%s", kind, part, got, n, text)
			}
		}
	}
	objects, err := parse("kind: Service\nspec: {ports: []}\n")
	if err != nil {
		t.Fatal(err)
	}
	s.instrument(podSpec(objects[0]))
	if len(objects[0].Object) != 2 || len(objects[0].Object["spec"].(map[string]any)) != 1 {
		t.Errorf("an object without pods was changed: %v", objects[0].Object)
	}
}
