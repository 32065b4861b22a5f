package mutant

import "testing"

func TestReason(t *testing.T) {
	for message, want := range map[string]string{
		"": "",
		"Expected success, but got an error:\n    <*journal.Error | 0x36f0e3413e30>: \n    app must wait\n    \n    pod pod\n":         "app must wait",
		"pod pod\n  app\n\nExpected success, but got an error:\n    <*framework.WaitError | 0x16bae92bf390>: \n    waited 45s in vain": "waited 45s in vain",
		"\n  Timed out after 20.001s.\nExpected\n    <int>: 1":                                                                         "Timed out after 20.001s.",
	} {
		if got := reason(message); got != want {
			t.Errorf("%q: got %q, want %q", message, got, want)
		}
	}
}
