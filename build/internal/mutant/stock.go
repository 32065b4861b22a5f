package mutant

import (
	"errors"
	"fmt"
	"strings"

	"sidecar-node/build/internal/e2erun"
)

// JudgeStock returns an error unless the suite was set up, specs have run, and all of
// them have failed, as specs about order have to where there are no patches.
func JudgeStock(ran []e2erun.Spec) error {
	if err := ranAll(nil, ran); err != nil {
		return err
	}
	if len(ran) == 0 {
		return errors.New("no spec has run")
	}
	var passed []string
	for _, s := range ran {
		if !s.Failed {
			passed = append(passed, s.Name)
		}
	}
	if len(passed) > 0 {
		return fmt.Errorf("%d of %d specs about order pass without the patches, so that they prove nothing:\n  %s", len(passed), len(ran), strings.Join(passed, "\n  "))
	}
	return nil
}
