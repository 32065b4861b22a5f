package framework

import (
	"slices"
	"testing"

	"sidecar-node/e2e/role"
)

func TestMadeRemembersTemplatesAndForgetsTheRest(t *testing.T) {
	objects, err := parse(`
kind: Job
metadata: {name: job}
spec: {template: {spec: {containers: [{name: app}, {name: proxy, lifecycle: {type: Sidecar}}]}}}
---
kind: Service
metadata: {name: job-service}
spec: {ports: []}
`)
	if err != nil {
		t.Fatal(err)
	}
	var m made
	for _, o := range objects {
		m.note(o.GetKind(), o.GetName(), podSpec(o))
	}
	if list := m.list(); len(list) != 1 || !slices.Equal(list.Of("job-x2x4z"), []role.Container{{Name: "proxy", Role: role.Sidecar}, {Name: "app", Role: role.App}}) {
		t.Errorf("got %v, want the containers of the Job alone", list)
	}
}
