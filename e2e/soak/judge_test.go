package soak

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"sidecar-node/e2e/journal"
	"sidecar-node/images/probe/record"
)

// pod is a journal in short: a word for each record, such as app:start or
// sidecar-1:term. A number in front, such as 1500, is the time in milliseconds from
// there on.
func pod(t *testing.T, text string) journal.Timeline {
	t.Helper()
	var records []record.Record
	runs := map[string]int{}
	var mono time.Duration
	for word := range strings.FieldsSeq(text) {
		if d, err := time.ParseDuration(word + "ms"); err == nil {
			mono = d
			continue
		}
		container, event, ok := strings.Cut(word, ":")
		if !ok {
			t.Fatalf("not a record: %s", word)
		}
		r := record.Record{Seq: int64(len(records) + 1), Container: container, Pod: "pod", Mono: int64(mono)}
		code := 0
		switch event {
		case "start":
			runs[container]++
			r.Event = record.Start
		case "ready":
			r.Event = record.Ready
		case "term":
			r.Event, r.Signal = record.Signal, "TERM"
		case "exit", "exit1", "exit3":
			if event != "exit" {
				code = int(event[4] - '0')
			}
			r.Event, r.Code = record.Exit, &code
		case "gone":
			r.Event = record.Gone
		case "preStop", "postStart":
			r.Event, r.Hook = record.HookStart, event
		case "preStopped", "postStarted":
			r.Event, r.Hook = record.HookEnd, strings.TrimSuffix(strings.Replace(event, "Stopped", "Stop", 1), "ed")
		default:
			t.Fatalf("no such event: %s", word)
		}
		r.Run = runs[container]
		records = append(records, r)
	}
	return journal.New(records)
}

func TestJudge(t *testing.T) {
	job := Shape{Policy: "Never", Grace: 5, App: App{ExitAfter: time.Second, Codes: []int{0}}, Sidecars: []Sidecar{{Readiness: true}}}
	failing := job
	failing.App.Codes = []int{3}
	retried := job
	retried.Policy, retried.App.Codes = "OnFailure", []int{1, 0}
	server := job
	server.Policy, server.DeleteAfter = "Always", time.Second
	hooked := job
	hooked.Sidecars = []Sidecar{{PostStart: time.Second}}
	const begin = "sidecar-1:start sidecar-1:ready app:start "
	for name, c := range map[string]struct {
		shape Shape
		phase corev1.PodPhase
		kills int
		text  string
		want  string // empty if all is well
	}{
		"completes":                                     {shape: job, phase: "Succeeded", text: begin + "app:exit sidecar-1:term sidecar-1:exit"},
		"fails":                                         {shape: failing, phase: "Failed", text: begin + "app:exit3 sidecar-1:term sidecar-1:gone"},
		"is retried":                                    {shape: retried, phase: "Succeeded", text: begin + "app:exit1 app:start app:exit sidecar-1:term sidecar-1:exit"},
		"is deleted":                                    {shape: server, text: begin + "app:term app:exit sidecar-1:preStop sidecar-1:preStopped sidecar-1:term sidecar-1:exit"},
		"is deleted while the app waits":                {shape: server, text: "sidecar-1:start sidecar-1:term sidecar-1:exit"},
		"app uses up the budget":                        {shape: server, text: begin + "app:preStop 5000 sidecar-1:term app:term sidecar-1:exit app:exit"},
		"the hook of the app is told of late":           {shape: server, text: begin + "app:preStop 2600 sidecar-1:term sidecar-1:exit app:term app:exit"},
		"sidecar is asked during the hook":              {shape: server, text: begin + "app:preStop 2400 sidecar-1:term sidecar-1:exit app:term app:exit", want: "sidecar-1 was asked to stop before the app had ended"},
		"sidecar crashed and got ready":                 {shape: job, phase: "Succeeded", text: "sidecar-1:start sidecar-1:exit1 sidecar-1:start sidecar-1:ready app:start app:exit sidecar-1:term sidecar-1:exit"},
		"sidecar dies as the app starts":                {shape: job, phase: "Succeeded", text: "sidecar-1:start sidecar-1:ready sidecar-1:gone app:start sidecar-1:start app:exit sidecar-1:term sidecar-1:exit"},
		"hook ends first":                               {shape: hooked, phase: "Succeeded", text: "sidecar-1:start sidecar-1:postStart sidecar-1:postStarted app:start app:exit sidecar-1:term sidecar-1:exit"},
		"a killed kubelet gives more time":              {shape: server, kills: 1, text: begin + "app:term 9000 app:gone sidecar-1:term sidecar-1:exit"},
		"app before the sidecar":                        {shape: job, phase: "Succeeded", text: "app:start sidecar-1:start sidecar-1:ready app:exit sidecar-1:term sidecar-1:exit", want: "the app started before sidecar-1"},
		"app before readiness":                          {shape: job, phase: "Succeeded", text: "sidecar-1:start app:start sidecar-1:ready app:exit sidecar-1:term sidecar-1:exit", want: "the app started before sidecar-1 was ready"},
		"app before the readiness of a second run":      {shape: job, phase: "Succeeded", text: "sidecar-1:start 500 sidecar-1:exit1 600 sidecar-1:start 5000 app:start 5100 sidecar-1:ready app:exit sidecar-1:term sidecar-1:exit", want: "the app started before sidecar-1 was ready"},
		"app before the hook of a second run":           {shape: hooked, phase: "Succeeded", text: "sidecar-1:start sidecar-1:postStart 500 sidecar-1:exit1 600 sidecar-1:start sidecar-1:postStart 5000 app:start 5100 sidecar-1:postStarted app:exit sidecar-1:term sidecar-1:exit", want: "before the postStart hook of sidecar-1 had ended"},
		"app before the end of the hook":                {shape: hooked, phase: "Succeeded", text: "sidecar-1:start sidecar-1:postStart app:start sidecar-1:postStarted app:exit sidecar-1:term sidecar-1:exit", want: "before the postStart hook of sidecar-1 had ended"},
		"sidecar is asked first":                        {shape: server, text: begin + "sidecar-1:term app:term app:exit sidecar-1:exit", want: "sidecar-1 was asked to stop before the app had ended"},
		"hook of the sidecar runs first":                {shape: server, text: begin + "sidecar-1:preStop app:term app:exit sidecar-1:term sidecar-1:exit", want: "sidecar-1 was asked to stop before the app had ended"},
		"sidecar is asked within the grace":             {shape: server, text: begin + "app:term 2000 sidecar-1:term app:exit sidecar-1:exit", want: "sidecar-1 was asked to stop before the app had ended"},
		"sidecar comes back at the end":                 {shape: job, phase: "Succeeded", text: begin + "app:exit sidecar-1:term sidecar-1:exit1 sidecar-1:start sidecar-1:term sidecar-1:exit", want: "sidecar-1 started (run 2) after the end"},
		"app runs twice":                                {shape: job, phase: "Succeeded", text: begin + "app:exit app:start app:exit sidecar-1:term sidecar-1:exit", want: "the app ran 2 times, want 1"},
		"wrong phase":                                   {shape: job, phase: "Failed", text: begin + "app:exit sidecar-1:term sidecar-1:exit1", want: `the phase is "Failed", want Succeeded`},
		"stuck":                                         {shape: server, phase: "Running", text: begin + "app:term app:exit sidecar-1:term sidecar-1:exit", want: "still there"},
		"too long":                                      {shape: server, text: begin + "app:term 9000 app:gone sidecar-1:term sidecar-1:exit", want: "to stop took 9s"},
		"a start that is told late":                     {shape: server, text: "sidecar-1:start sidecar-1:exit1 500 native:term 9500 sidecar-1:start native:exit sidecar-1:exit1", kills: 1},
		"a start that is too late":                      {shape: server, text: "sidecar-1:start sidecar-1:exit1 500 native:term 11500 sidecar-1:start native:exit sidecar-1:exit1", want: "sidecar-1 started (run 2) after the end"},
		"left behind while the app waited":              {shape: server, text: "sidecar-1:start", want: "sidecar-1 has not ended"},
		"restarted after its TERM while the app waited": {shape: server, text: "sidecar-1:start sidecar-1:term sidecar-1:exit sidecar-1:start sidecar-1:term sidecar-1:exit", want: "sidecar-1 started (run 2) after the end"},
		"runs twice at a time":                          {shape: job, phase: "Succeeded", text: "sidecar-1:start sidecar-1:start sidecar-1:ready app:start app:exit sidecar-1:term sidecar-1:exit", want: "sidecar-1 started (run 2) while its run before was alive"},
		"goes on":                                       {shape: job, phase: "Succeeded", text: begin + "app:exit sidecar-1:term", want: "sidecar-1 has not ended"},
	} {
		t.Run(name, func(t *testing.T) {
			wrong := Outcome{Shape: c.shape, Phase: c.phase, Journal: pod(t, c.text), Kills: c.kills, Overhead: time.Second, StartLag: 10 * time.Second}.Judge()
			switch {
			case c.want == "" && len(wrong) > 0:
				t.Errorf("all is well, but: %q", wrong)
			case c.want != "" && !strings.Contains(strings.Join(wrong, "\n"), c.want):
				t.Errorf("got %q, want one with %q", wrong, c.want)
			}
		})
	}
}

func TestJudgeOfAnInterruptedStart(t *testing.T) {
	o := Outcome{Shape: Shape{Policy: "Never", Grace: 5, App: App{ExitAfter: time.Second, Codes: []int{0}}, Sidecars: []Sidecar{{}}},
		Phase: corev1.PodFailed, Journal: pod(t, "sidecar-1:start sidecar-1:term sidecar-1:exit"), Overhead: time.Second,
		Status: corev1.PodStatus{ContainerStatuses: []corev1.ContainerStatus{{Name: "app", State: corev1.ContainerState{
			Terminated: &corev1.ContainerStateTerminated{ExitCode: 128, Reason: "StartError"}}}}}}
	for kills, want := range []int{2, 0} {
		o.Kills = kills
		if wrong := o.Judge(); len(wrong) != want {
			t.Errorf("%d kills: got %q, want %d sentences", kills, wrong, want)
		}
	}
}
