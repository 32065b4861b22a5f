package main

import (
	"context"
	"errors"

	"sidecar-node/build/internal/engine"
	"sidecar-node/build/internal/layout"
)

// nodeImage builds the node image of a variant, with everything that it needs,
// and loads it into the engine.
func (e *environment) nodeImage(ctx context.Context, eng *engine.Engine, v layout.Variant) error {
	return errors.New("not there yet")
}
