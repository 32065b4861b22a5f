package pipeline

import (
	"context"
	"errors"

	"sidecar-node/build/internal/layout"
)

// Tree makes the scratch repository of a variant (layout.Src) if it is not
// there yet or not the one that the lock, the patches and the overlay ask
// for: assembled from the upstream modules and, for the sidecar variant, with
// the series, the overlay and the generated code on top. Work of a developer
// in the scratch tree is never thrown away: with unchanged inputs the tree is
// used as it is, with changed ones Tree refuses.
func Tree(ctx context.Context, env Env, v layout.Variant) error {
	return errors.New("not there yet")
}
