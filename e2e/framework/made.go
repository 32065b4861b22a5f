package framework

import (
	"slices"
	"sync"

	"sidecar-node/e2e/role"
)

// made remembers what the containers of the objects that were made are for. A picture
// is drawn when the objects are gone.
type made struct {
	mu      sync.Mutex
	objects role.List
}

// note remembers an object; one without pods, whose spec is nil, is forgotten.
func (m *made) note(kind, name string, spec map[string]any) {
	containers := role.Of(spec)
	if len(containers) == 0 {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.objects = append(m.objects, role.Object{Kind: kind, Name: name, Containers: containers})
}

func (m *made) list() role.List {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.objects)
}
