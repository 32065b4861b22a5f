// Package pipeline strings the steps of the build together, so that every
// subcommand that needs the Kubernetes tree or its binaries gets them in the
// same way.
package pipeline

import (
	"sidecar-node/build/internal/layout"
	"sidecar-node/build/internal/lock"
	"sidecar-node/build/internal/step"
)

// Env is what the steps work with.
type Env struct {
	layout.Layout
	// Steps runs the steps.
	Steps *step.Runner
}

// Lock reads patches/upstream.lock.
func (e Env) Lock() (*lock.Lock, error) {
	return lock.Read(e.Path("patches", "upstream.lock"))
}
