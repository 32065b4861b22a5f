// Package gantt draws what happened to the containers of pods as Gantt charts on one
// HTML page that needs nothing but itself. A chart is computed first, from records,
// and drawn afterwards.
package gantt

import (
	"time"

	"sidecar-node/e2e/role"
	"sidecar-node/images/probe/record"
)

// Pod is what is known of a pod.
type Pod struct {
	Name string
	// Records are what happened to its containers, in order.
	Records []record.Record
	// Containers say what they are for; nil means that nobody knows.
	Containers []role.Container
	// Vague names containers of which no record tells when they were ready.
	Vague map[string]bool
	// Events are what else was said about the pod.
	Events []Event
	// Notes are printed below the chart.
	Notes []string
	// Until is when the pod was looked at, if what lasted then is worth drawing.
	Until time.Time
}

// Event is something that was said about a container or, if none is named, about the
// whole pod.
type Event struct {
	At        time.Time
	Container string
	Text      string
}

// Chart is what happened in one pod, to be drawn. Its times are those of the node's
// clock.
type Chart struct {
	Pod string
	// Start is the first and End the last thing that is known.
	Start, End time.Time
	// Zero is from when seconds count: the first record, or the start.
	Zero time.Time
	// Gate says when the app containers had to wait for the sidecars; nil for a pod
	// without sidecars.
	Gate  *Lane
	Lanes []Lane
	// Events are listed in words, too.
	Events []Event
	Notes  []string
}

// Lane is the life of one container.
type Lane struct {
	Container string
	Role      role.Role
	// Segments are in order and do not overlap.
	Segments []Segment
	// Hooks lie over the segments.
	Hooks []Segment
	Marks []Mark
}

// State is the state of a container in a segment of its life.
type State string

// The states of a container, and of the gate.
const (
	NotReady State = "not-ready"
	Ready    State = "ready"
	// Running is a state of containers of which nobody knows whether they were ready.
	Running State = "running"
	// Stopping begins with the preStop hook, or with TERM.
	Stopping State = "stopping"
	// Hook is the run of a hook.
	Hook State = "hook"
	// Many stands for states that were too many to draw.
	Many State = "many"

	GateClosed State = "gate-closed"
	GateOpen   State = "gate-open"
)

// Segment is a state for a time.
type Segment struct {
	State    State
	From, To time.Time
	// Open means that the state lasted when the last thing became known.
	Open bool
	// Run counts the starts of the container, from 1.
	Run int
	// Text says more than the state, such as the name of a hook.
	Text string
}

// Kind is the kind of a mark.
type Kind string

// The kinds of marks.
const (
	Term Kind = "term"
	// Signalled is any other signal than TERM.
	Signalled Kind = "signal"
	Exited    Kind = "exit"
	// Failed is an exit with another code than 0.
	Failed Kind = "exit-failed"
	Killed Kind = "killed"
	// CallFailed is a call to another container that failed.
	CallFailed Kind = "call-failed"
	// Said is an event of the API.
	Said Kind = "event"
)

// Mark is something that happened at a moment.
type Mark struct {
	Kind Kind
	At   time.Time
	// Label is short and stands beside the mark; Text is for who looks closer.
	Label, Text string
	// Count is how many things of that kind the mark stands for, at least 1.
	Count int
}
