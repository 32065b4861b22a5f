package main

import (
	"context"
	"slices"
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
// mean that image there. The image that had the names before is removed if no
// container uses it: each is half a gigabyte.
func loadImage(ctx context.Context, e *environment, eng *engine.Engine, made *pipeline.BuiltImage) error {
	return e.steps.Run(ctx, step.Step{
		Name:   "load",
		Title:  "load " + strings.Join(made.Names, " and ") + " into " + eng.Name,
		Repeat: eng.Name + " load --input " + made.Archive,
		Do: func(ctx context.Context) error {
			var before []string
			for _, name := range made.Names {
				id, err := eng.ImageID(ctx, name)
				if err != nil {
					return err
				}
				before = append(before, id)
			}
			before = slices.Compact(before)
			if slices.Equal(before, []string{made.ID}) {
				return nil
			}
			if err := eng.Load(ctx, made.Archive); err != nil {
				return err
			}
			for _, id := range before {
				if id != "" && id != made.ID {
					// Engines refuse while a node of a cluster uses it.
					_ = eng.RemoveImage(ctx, id)
				}
			}
			return nil
		},
	})
}
