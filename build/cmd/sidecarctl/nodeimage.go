package main

import (
	"context"
	"strings"

	"sidecar-node/build/internal/engine"
	"sidecar-node/build/internal/layout"
	"sidecar-node/build/internal/pipeline"
	"sidecar-node/build/internal/step"
)

// nodeImage builds the node image of a variant, with everything that it needs,
// and loads it into the engine.
func (e *environment) nodeImage(ctx context.Context, eng *engine.Engine, v layout.Variant) error {
	made, err := pipeline.Image(ctx, e.pipeline(), v, "")
	if err != nil {
		return err
	}
	return loadImage(ctx, e, eng, made)
}

// loadImage loads the archive into the engine unless all its names already
// mean that image there.
func loadImage(ctx context.Context, e *environment, eng *engine.Engine, made *pipeline.NodeImage) error {
	return e.steps.Run(ctx, step.Step{
		Name:   "load",
		Title:  "load " + strings.Join(made.Names, " and ") + " into " + eng.Name,
		Repeat: eng.Name + " load --input " + made.Archive,
		Do: func(ctx context.Context) error {
			loaded := 0
			for _, name := range made.Names {
				id, err := eng.ImageID(ctx, name)
				if err != nil {
					return err
				}
				if id == made.ID {
					loaded++
				}
			}
			if loaded == len(made.Names) {
				return nil
			}
			return eng.Load(ctx, made.Archive)
		},
	})
}
