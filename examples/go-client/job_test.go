package main

import (
	"encoding/json"
	"testing"
)

// Both forms of the Job say the same.
func TestJobsHaveTheSidecar(t *testing.T) {
	typed, err := json.Marshal(typedJob("it").Spec.Template.Spec.Containers)
	if err != nil {
		t.Fatal(err)
	}
	applied, err := json.Marshal(appliedJob("it", "default").Spec.Template.Spec.Containers)
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{"typed": typed, "applied": applied} {
		var containers []struct {
			Name      string
			Lifecycle *struct{ Type string }
		}
		if err := json.Unmarshal(data, &containers); err != nil {
			t.Fatal(err)
		}
		if len(containers) != 2 || containers[0].Lifecycle != nil || containers[1].Lifecycle == nil || containers[1].Lifecycle.Type != "Sidecar" {
			t.Errorf("%s: want a sidecar behind an ordinary container, found %s", name, data)
		}
	}
}
