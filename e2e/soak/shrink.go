package soak

import (
	"context"
	"fmt"
	mathrand "math/rand/v2"

	"sidecar-node/e2e/framework"
)

// shrinkTries is how many pods of a simpler shape have to pass before it counts as
// harmless. Most violations depend on timing.
const shrinkTries = 10

// Shrink looks for simpler and simpler pods that are violated as well, and hands each
// of them to found, with its number and what is wrong with it. The last one is the
// simplest.
func (s *Soak) Shrink(ctx context.Context, name string, violated Outcome, nodes []*framework.Node, random *mathrand.Rand, found func(n int, o Outcome, wrong []string) error) error {
	for n := 1; ; n++ {
		simpler, wrong, err := s.violated(ctx, fmt.Sprintf("%s-%d", name, n), violated.Shape.Simpler(), nodes, random)
		if err != nil || wrong == nil {
			return err
		}
		if err := found(n, simpler, wrong); err != nil {
			return err
		}
		violated = simpler
	}
}

// violated runs pods of each shape and returns the first one that is violated; no
// sentence if none is.
func (s *Soak) violated(ctx context.Context, name string, shapes []Shape, nodes []*framework.Node, random *mathrand.Rand) (Outcome, []string, error) {
	for i, shape := range shapes {
		same := make([]Shape, shrinkTries)
		for t := range same {
			same[t] = shape
		}
		outcomes, _, err := s.batch(ctx, fmt.Sprintf("%s-%d", name, i), same, nodes, random)
		if err != nil {
			return Outcome{}, nil, err
		}
		for _, o := range outcomes {
			if wrong := o.Judge(); len(wrong) > 0 {
				return o, wrong, nil
			}
		}
	}
	return Outcome{}, nil, nil
}
