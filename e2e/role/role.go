// Package role says what a container is for in its pod: the journal of a container
// does not know it, and pictures need it.
package role

// Role is what a container is for.
type Role string

// The roles, in the order in which containers start.
const (
	// Init runs to its end before the next container starts.
	Init Role = "init"
	// Native is an init container with restartPolicy Always.
	Native Role = "native sidecar"
	// Sidecar is a container with lifecycle.type Sidecar.
	Sidecar Role = "sidecar"
	// App is any other container of spec.containers.
	App Role = "app"
	// Ephemeral was added to a running pod.
	Ephemeral Role = "ephemeral"
	// Unknown is a container of which nobody has written down what it is for.
	Unknown Role = "unknown"
)

// Roles are all roles, in the order in which containers start.
var Roles = []Role{Init, Native, Sidecar, App, Ephemeral, Unknown}

// Container is a container and what it is for.
type Container struct {
	Name string `json:"name"`
	Role Role   `json:"role"`
}

// Of returns the containers of a pod spec: by role, and within a role as the spec
// has them. The typed API of upstream does not know lifecycle.type, therefore the
// spec comes untyped.
func Of(spec map[string]any) []Container {
	all := each(spec, "initContainers", func(c map[string]any) Role {
		if c["restartPolicy"] == "Always" {
			return Native
		}
		return Init
	})
	containers := each(spec, "containers", func(c map[string]any) Role {
		if lifecycle, ok := c["lifecycle"].(map[string]any); ok && lifecycle["type"] == "Sidecar" {
			return Sidecar
		}
		return App
	})
	for _, r := range []Role{Sidecar, App} {
		for _, c := range containers {
			if c.Role == r {
				all = append(all, c)
			}
		}
	}
	return append(all, each(spec, "ephemeralContainers", func(map[string]any) Role { return Ephemeral })...)
}

func each(spec map[string]any, list string, role func(map[string]any) Role) []Container {
	var found []Container
	items, _ := spec[list].([]any)
	for _, item := range items {
		c, ok := item.(map[string]any)
		if !ok {
			continue
		}
		name, _ := c["name"].(string)
		found = append(found, Container{name, role(c)})
	}
	return found
}
