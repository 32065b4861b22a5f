package role

import (
	"slices"
	"strings"
)

// Object is what was made in a cluster, a pod or something that makes pods.
type Object struct {
	Kind string `json:"kind"`
	Name string `json:"name"`
	// Containers are those of the pod, or of the template.
	Containers []Container `json:"containers"`
}

// List are objects in the order in which they were made or changed.
type List []Object

// Of returns the containers of the pod of that name, which need not exist any more:
// those of the object of its name, or else those of the object whose name is the
// longest beginning of it, as controllers and kubelets name the pods that they make.
// Nil means that no object fits. What came later in the list wins.
func (l List) Of(pod string) []Container {
	owner := ""
	for _, o := range l {
		if o.Name == pod {
			owner = pod
			break
		}
		if len(o.Name) > len(owner) && strings.HasPrefix(pod, o.Name+"-") {
			owner = o.Name
		}
	}
	if owner == "" {
		return nil
	}
	var found []Container
	for _, o := range l {
		if o.Name != owner {
			continue
		}
		for _, c := range o.Containers {
			i := slices.IndexFunc(found, func(f Container) bool { return f.Name == c.Name })
			if i < 0 {
				found = append(found, c)
			} else {
				found[i] = c
			}
		}
	}
	slices.SortStableFunc(found, func(a, b Container) int {
		return slices.Index(Roles, a.Role) - slices.Index(Roles, b.Role)
	})
	return found
}
