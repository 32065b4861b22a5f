package livepod

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"sidecar-node/images/probe/record"
)

func object(t *testing.T, text string) *unstructured.Unstructured {
	t.Helper()
	o := &unstructured.Unstructured{}
	if err := yaml.Unmarshal([]byte(text), &o.Object); err != nil {
		t.Fatal(err)
	}
	// As the API has it: numbers are int64.
	data, err := o.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	if err := o.UnmarshalJSON(data); err != nil {
		t.Fatal(err)
	}
	return o
}

const podHead = `
apiVersion: v1
kind: Pod
metadata: {name: web, namespace: shop, uid: u1}
spec:
  containers:
  - {name: app}
  - {name: proxy, lifecycle: {type: Sidecar}}
`

// at is a moment of the tests, as the API writes it.
func at(second int) string { return fmt.Sprintf("2026-12-01T12:00:%02dZ", second) }

func anEvent(t *testing.T, second int, container, reason string) unstructured.Unstructured {
	t.Helper()
	path := ""
	if container != "" {
		path = "spec.containers{" + container + "}"
	}
	return *object(t, fmt.Sprintf("apiVersion: v1\nkind: Event\nmetadata: {name: e}\nreason: %s\nmessage: about %s\nfirstTimestamp: %q\nlastTimestamp: %q\ncount: 2\ninvolvedObject: {fieldPath: %q}\n",
		reason, container, at(second), at(second+5), path))
}

// told prints records as "second container event".
func told(records []record.Record) string {
	var words []string
	for _, r := range records {
		word := fmt.Sprintf("%d %s %s", r.Wall.Second(), r.Container, r.Event)
		if r.Run > 1 {
			word += fmt.Sprintf(" run %d", r.Run)
		}
		if r.Code != nil {
			word += fmt.Sprintf(" %d", *r.Code)
		}
		words = append(words, word)
	}
	return strings.Join(words, ", ")
}

func TestFromStatus(t *testing.T) {
	ended := func(name string, from, to, code int) string {
		return fmt.Sprintf("  - {name: %s, restartCount: 0, state: {terminated: {startedAt: %q, finishedAt: %q, exitCode: %d, reason: R}}}\n", name, at(from), at(to), code)
	}
	for _, c := range []struct {
		name   string
		status string
		events []unstructured.Unstructured
		want   string
		vague  string
		notes  string
	}{
		{"a Job that is over", "status:\n  containerStatuses:\n" + ended("app", 4, 9, 0) + ended("proxy", 1, 10, 137),
			[]unstructured.Unstructured{anEvent(t, 3, "", "SidecarsReady"), anEvent(t, 9, "", "StoppingSidecars"), anEvent(t, 9, "proxy", "Killing")},
			"1 proxy start, 3 proxy ready, 4 app start, 9 app exit 0, 9 proxy signal, 10 proxy gone", "app", ""},
		{"all in one second", "status:\n  containerStatuses:\n" + ended("app", 4, 4, 0) + ended("proxy", 4, 4, 0),
			[]unstructured.Unstructured{anEvent(t, 4, "", "SidecarsReady"), anEvent(t, 4, "", "StoppingSidecars")},
			"4 proxy start, 4 proxy ready, 4 app start, 4 app exit 0, 4 proxy signal, 4 proxy exit 0", "app", ""},
		{"the sidecar's own event comes before its turn", "status:\n  containerStatuses:\n" + ended("app", 4, 9, 0) + ended("proxy", 1, 10, 0),
			[]unstructured.Unstructured{anEvent(t, 5, "app", "Killing"), anEvent(t, 5, "proxy", "Killing")},
			"1 proxy start, 4 app start, 5 app signal, 9 app exit 0, 10 proxy exit 0", "app proxy", ""},
		{"a pod that runs", fmt.Sprintf(`status:
  conditions: [{type: ContainersReady, status: "True", lastTransitionTime: %q}]
  containerStatuses:
  - {name: app, ready: true, restartCount: 3, state: {running: {startedAt: %q}}, lastState: {terminated: {startedAt: %q, finishedAt: %q, exitCode: 1}}}
  - {name: proxy, ready: true, restartCount: 0, state: {running: {startedAt: %q}}}
`, at(8), at(7), at(4), at(5), at(1)), []unstructured.Unstructured{anEvent(t, 3, "", "SidecarsReady")},
			"1 proxy start, 3 proxy ready, 4 app start run 3, 5 app exit run 3 1, 7 app start run 4, 8 app ready run 4", "app", "app: the status no longer knows the first 2 of its runs"},
		{"a pod that waits", fmt.Sprintf(`status:
  containerStatuses:
  - {name: app, restartCount: 0, state: {waiting: {reason: WaitingForSidecars, message: "waiting for sidecars to become ready: proxy"}}}
  - {name: proxy, ready: false, restartCount: 0, state: {running: {startedAt: %q}}}
`, at(1)), nil, "1 proxy start", "", "app waits: WaitingForSidecars: waiting for sidecars to become ready: proxy"},
		{"a pod that crashes", fmt.Sprintf(`status:
  containerStatuses:
  - {name: app, restartCount: 1, state: {waiting: {reason: CrashLoopBackOff}}, lastState: {terminated: {startedAt: %q, finishedAt: %q, exitCode: 1}}}
`, at(2), at(3)), nil, "2 app start run 2, 3 app exit run 2 1", "app", "app: the status no longer knows the first 1 of its runs app waits: CrashLoopBackOff"},
		{"nothing yet", "status: {phase: Pending}\n", nil, "", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			records, vague, notes := fromStatus(object(t, podHead+c.status), parseEvents(c.events))
			records = merge(records, nil, "web", "u1")
			if got := told(records); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
			if got := strings.Join(slices.Sorted(maps.Keys(vague)), " "); got != c.vague {
				t.Errorf("vague: got %s, want %s", got, c.vague)
			}
			if got := strings.Join(notes, " "); got != c.notes {
				t.Errorf("notes: got %s, want %s", got, c.notes)
			}
			for i, r := range records {
				if r.Seq != int64(i+1) || r.Mono != r.Wall.Sub(records[0].Wall).Nanoseconds() {
					t.Errorf("record %d: number %d, clock %d", i, r.Seq, r.Mono)
				}
			}
		})
	}
}

func TestEvents(t *testing.T) {
	noTime := *object(t, "apiVersion: v1\nkind: Event\nmetadata: {name: e}\nreason: R\n")
	newKind := *object(t, "apiVersion: v1\nkind: Event\nmetadata: {name: e}\nreason: New\neventTime: \"2026-12-01T12:00:01.500000Z\"\nseries: {count: 7}\ninvolvedObject: {fieldPath: \"spec.initContainers{setup}\"}\n")
	events := parseEvents([]unstructured.Unstructured{anEvent(t, 9, "app", "Started"), noTime, newKind})
	if len(events) != 2 || events[0].container != "setup" || events[0].count != 7 || events[1].container != "app" || events[1].at.Second() != 9 {
		t.Fatalf("got %+v", events)
	}
	if got := marks(events)[1]; got.Text != "Started: about app (2 times)" || got.Container != "app" {
		t.Errorf("got %+v", got)
	}
}
