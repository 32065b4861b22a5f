package livepod

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"sidecar-node/e2e/gantt"
)

// event is an event of the API about a pod.
type event struct {
	at time.Time
	// container is empty for an event about the whole pod.
	container string
	reason    string
	message   string
	// count is how often it came, the first time at.
	count int64
}

// fieldPath finds the container in the field path of an event, as in
// spec.containers{app}.
var fieldPath = regexp.MustCompile(`^spec\.(?:initContainers|containers|ephemeralContainers)\{(.+)\}$`)

// parseEvents reads events, oldest first. Those without a time are left out.
func parseEvents(objects []unstructured.Unstructured) []event {
	var all []event
	for _, o := range objects {
		text := func(path ...string) string {
			v, _, _ := unstructured.NestedString(o.Object, path...)
			return v
		}
		e := event{reason: text("reason"), message: strings.Join(strings.Fields(text("message")), " "), count: 1}
		for _, field := range []string{"firstTimestamp", "eventTime", "lastTimestamp"} {
			if e.at = moment(text(field)); !e.at.IsZero() {
				break
			}
		}
		if e.at.IsZero() {
			continue
		}
		if m := fieldPath.FindStringSubmatch(text("involvedObject", "fieldPath")); m != nil {
			e.container = m[1]
		}
		if n, found, _ := unstructured.NestedInt64(o.Object, "count"); found && n > 1 {
			e.count = n
		} else if n, found, _ := unstructured.NestedInt64(o.Object, "series", "count"); found && n > 1 {
			e.count = n
		}
		all = append(all, e)
	}
	slices.SortStableFunc(all, func(a, b event) int { return a.at.Compare(b.at) })
	return all
}

// marks are the events as they are drawn.
func marks(events []event) []gantt.Event {
	var all []gantt.Event
	for _, e := range events {
		text := e.reason + ": " + e.message
		if e.count > 1 {
			text += fmt.Sprintf(" (%d times)", e.count)
		}
		all = append(all, gantt.Event{At: e.at, Container: e.container, Text: text})
	}
	return all
}
