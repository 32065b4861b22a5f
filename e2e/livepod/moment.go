package livepod

import (
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"sidecar-node/e2e/role"
	"sidecar-node/images/probe/record"
)

// sidecarsReady is when the kubelet found all sidecars ready, for a sidecar that had
// started by then and had not ended: its own moment was then or before.
func (s *statusReader) sidecarsReady(c role.Container, from, to time.Time) time.Time {
	if c.Role == role.Sidecar {
		for _, e := range s.events {
			if e.reason == "SidecarsReady" && within(e.at, from, to) {
				return e.at
			}
		}
	}
	return time.Time{}
}

// asked adds when the kubelet began to stop the container. For a sidecar that is when
// its turn came: its own event is written before it waits for that. For a native
// sidecar, which waits likewise, nobody tells.
func (s *statusReader) asked(c role.Container, run int, from, to time.Time, stop adder) {
	for _, e := range s.events {
		turn := e.reason == "Killing" && e.container == c.Name && c.Role != role.Sidecar && c.Role != role.Native
		if c.Role == role.Sidecar {
			turn = e.reason == "StoppingSidecars"
		}
		if turn && within(e.at, from, to) {
			stop(c, run, e.at, record.Record{Event: record.Signal, Signal: "TERM"})
			return
		}
	}
}

// condition is when the condition of the pod became true, if it is.
func (s *statusReader) condition(name string) time.Time {
	items, _, _ := unstructured.NestedSlice(s.pod.Object, "status", "conditions")
	for _, item := range items {
		if c, ok := item.(map[string]any); ok && c["type"] == name && c["status"] == "True" {
			return moment(c["lastTransitionTime"])
		}
	}
	return time.Time{}
}

// within tells whether at lies between from and to, which is open if it is zero.
func within(at, from, to time.Time) bool {
	return !at.Before(from) && (to.IsZero() || !at.After(to))
}

// moment reads a time of the API; one that is missing is zero.
func moment(v any) time.Time {
	text, _ := v.(string)
	t, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return time.Time{}
	}
	return t
}
