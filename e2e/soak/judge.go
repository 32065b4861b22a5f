package soak

import (
	"fmt"
	"maps"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"sidecar-node/e2e/journal"
	"sidecar-node/images/probe/record"
)

// Outcome is what became of a pod.
type Outcome struct {
	Shape Shape
	// Phase is the phase in which the pod was seen last; empty if it is gone.
	Phase corev1.PodPhase
	// Status is what was seen of it last.
	Status  corev1.PodStatus
	Journal journal.Timeline
	// Kills is how often a kubelet was killed while the pod lived. Each of them may
	// start the grace period anew.
	Kills int
	// Overhead is what the runtime, a busy machine and the start of a kubelet may add
	// to a grace period.
	Overhead time.Duration
	// StartLag is how long after the kubelet has asked for a container its first word
	// may come. It also hides what was down at the end and is started within that time;
	// what has ended since then may not start again at all.
	StartLag time.Duration
}

// minimum is what a sidecar is given when the apps have used up the grace period, and
// what the kubelet gives every container at least.
const minimum = 2 * time.Second

// Judge returns what is wrong by the contract, one sentence for each violation.
func (o Outcome) Judge() []string {
	j := &judge{Outcome: o}
	j.read()
	j.start()
	j.order()
	j.nothingAfterTheEnd()
	j.phase()
	j.budget()
	return j.wrong
}

type judge struct {
	Outcome
	wrong   []string
	records []record.Record
	// end is the place of the last end of the app, stop that of the first request to
	// stop that reached the app; -1 if there is none.
	end, stop int
	appRuns   int
	lastCode  int
}

func (j *judge) fail(format string, args ...any) {
	j.wrong = append(j.wrong, fmt.Sprintf(format, args...))
}

func isEnd(r record.Record) bool { return r.Event == record.Exit || r.Event == record.Gone }

func asksToStop(r record.Record) bool {
	return r.Event == record.Signal && r.Signal == "TERM" || r.Event == record.HookStart && r.Hook == "preStop"
}

func (j *judge) read() {
	j.records = j.Journal.Records()
	j.end, j.stop, j.lastCode = -1, -1, -1
	for i, r := range j.records {
		if r.Container != "app" {
			continue
		}
		switch {
		case r.Event == record.Start:
			j.appRuns++
			j.end = -1
		case isEnd(r):
			j.end, j.lastCode = i, 137
			if r.Code != nil {
				j.lastCode = *r.Code
			}
		case asksToStop(r) && j.stop < 0:
			j.stop = i
		}
	}
}

// start wants every sidecar to be ready before the app starts for the first time.
func (j *judge) start() {
	ready := map[string]bool{}
	hooked := map[string]bool{}
	for _, r := range j.records {
		switch {
		case r.Event == record.Start && r.Container != "app":
			ready[r.Container], hooked[r.Container] = false, false
		case isEnd(r):
			ready[r.Container] = false
		case r.Event == record.Ready:
			ready[r.Container] = true
		case r.Event == record.HookEnd && r.Hook == "postStart":
			hooked[r.Container] = true
		}
		if r.Event != record.Start || r.Container != "app" {
			continue
		}
		for i, sc := range j.Shape.Sidecars {
			name := sidecarName(i)
			_, started := ready[name]
			switch {
			case !started:
				j.fail("the app started before %s", name)
			case (sc.Startup || sc.Readiness) && !ready[name] && !j.diedJustNow(name, r, isReady):
				j.fail("the app started before %s was ready", name)
			case sc.PostStart > 0 && !hooked[name] && !j.diedJustNow(name, r, endsPostStart):
				j.fail("the app started before the postStart hook of %s had ended", name)
			}
		}
		return
	}
}

// decisionLag is how long the kubelet may take from its decision to start a container
// to the start, on a machine that starts dozens at once.
const decisionLag = 5 * time.Second

// diedJustNow returns true if the sidecar had passed in a run that ended so shortly
// before the start of the app that the kubelet could not know it.
func (j *judge) diedJustNow(name string, start record.Record, passed func(record.Record) bool) bool {
	for i, r := range j.records {
		if r.Container == name && isEnd(r) && r.Seq < start.Seq && time.Duration(start.Mono-r.Mono) < decisionLag &&
			slices.ContainsFunc(j.records[:i], func(e record.Record) bool { return e.Container == name && e.Run == r.Run && passed(e) }) {
			return true
		}
	}
	return false
}

func isReady(r record.Record) bool       { return r.Event == record.Ready }
func endsPostStart(r record.Record) bool { return r.Event == record.HookEnd && r.Hook == "postStart" }

// order wants no sidecar to be asked to stop before the app has ended for good, unless
// the app has used up the grace period.
func (j *judge) order() {
	if j.appRuns == 0 {
		return
	}
	for i, r := range j.records {
		if r.Container == "app" || r.Container == "native" || !asksToStop(r) {
			continue
		}
		switch {
		case j.end >= 0 && i > j.end:
		case j.stop >= 0 && i > j.stop && time.Duration(r.Mono-j.records[j.stop].Mono) >= j.usedUp():
			// The hook of the app, or the app, has used up the budget.
		default:
			j.fail("%s was asked to stop before the app had ended", r.Container)
		}
	}
}

// hookLag is how long after the kubelet has asked for a hook its first word may come.
const hookLag = 2 * time.Second

// signalLag is how long a signal may take.
const signalLag = 500 * time.Millisecond

// usedUp is how long after the first word of the stop of the app the grace period may
// be over, which the kubelet counts from the moment at which it began to stop the pod.
func (j *judge) usedUp() time.Duration {
	lag := signalLag
	if j.records[j.stop].Event == record.HookStart {
		// A hook is a process that has to be started.
		lag += hookLag
	}
	return time.Duration(j.Shape.Grace)*time.Second - lag
}

// nothingAfterTheEnd wants nothing to start when the app has ended for good, or when
// the app of a deleted pod has been asked to stop. A container that was started just
// before may say so just after; one that has ended since then may not come back.
func (j *judge) nothingAfterTheEnd() {
	from := j.stop
	if from < 0 {
		from = j.end
	}
	if j.appRuns == 0 {
		// Deleted while the app was waiting.
		from = slices.IndexFunc(j.records, asksToStop)
	}
	if from < 0 {
		return
	}
	ended := map[string]bool{}
	for _, r := range j.records[from:] {
		late := ended[r.Container] || time.Duration(r.Mono-j.records[from].Mono) > j.StartLag
		if r.Event == record.Start && late {
			j.fail("%s started (run %d) after the end", r.Container, r.Run)
		}
		ended[r.Container] = ended[r.Container] || isEnd(r)
	}
}

// phase wants the phase of a pod that ended by itself to come from its app.
func (j *judge) phase() {
	if j.Shape.DeleteAfter > 0 {
		if j.Phase != "" {
			j.fail("the deleted pod is still there, in phase %s", j.Phase)
		}
		return
	}
	want, runs := corev1.PodSucceeded, len(j.Shape.App.Codes)
	switch {
	case j.startInterrupted():
		want, runs = corev1.PodFailed, 0
	case j.Shape.Policy == "Never" && j.Shape.App.Codes[0] != 0:
		want = corev1.PodFailed
	}
	if j.Phase != want {
		j.fail("the phase is %q, want %s", j.Phase, want)
	}
	if j.appRuns != runs {
		j.fail("the app ran %d times, want %d", j.appRuns, runs)
	}
}

// startInterrupted returns true if the kubelet was killed while the runtime started the
// app, which the runtime then gives up. Under Never that is the end, as of any container
// of Kubernetes.
func (j *judge) startInterrupted() bool {
	if j.Kills == 0 || j.Shape.Policy != "Never" {
		return false
	}
	return slices.ContainsFunc(j.Status.ContainerStatuses, func(c corev1.ContainerStatus) bool {
		return c.Name == "app" && c.State.Terminated != nil && c.State.Terminated.Reason == "StartError"
	})
}

// budget wants everything to be over in time, counted from the first request to stop.
func (j *judge) budget() {
	alive := map[string]bool{}
	for _, r := range j.records {
		switch {
		case r.Event == record.Start:
			if alive[r.Container] {
				j.fail("%s started (run %d) while its run before was alive", r.Container, r.Run)
			}
			alive[r.Container] = true
		case isEnd(r):
			delete(alive, r.Container)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(alive)) {
		j.fail("%s has not ended", name)
	}
	first := -1
	for i, r := range j.records {
		if asksToStop(r) {
			first = i
			break
		}
	}
	if first < 0 {
		return
	}
	allowed := time.Duration(1+j.Kills)*(time.Duration(j.Shape.Grace)*time.Second+minimum) + j.Overhead
	last := j.records[len(j.records)-1]
	if took := time.Duration(last.Mono - j.records[first].Mono); took > allowed {
		j.fail("to stop took %v, want at most %v", took.Round(time.Millisecond), allowed)
	}
}
