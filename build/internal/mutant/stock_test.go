package mutant

import (
	"strings"
	"testing"

	"sidecar-node/build/internal/e2erun"
)

func TestJudgeStock(t *testing.T) {
	if err := JudgeStock([]e2erun.Spec{failed, failed}); err != nil {
		t.Error(err)
	}
	for want, ran := range map[string][]e2erun.Spec{
		"no spec has run": nil,
		"1 of 2 specs about order pass without the patches, so that they prove nothing:\n  pond is deep": {passed, failed},
		"SynchronizedBeforeSuite of the suite has failed":                                                {noSetup},
	} {
		if err := JudgeStock(ran); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}
