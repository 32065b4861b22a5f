package main

import "sidecar-node/build/internal/pipeline"

// pipeline returns the environment in the form that package pipeline takes.
func (e *environment) pipeline() pipeline.Env {
	return pipeline.Env{Layout: e.Layout, Steps: e.steps}
}
