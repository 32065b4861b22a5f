// Package livepod finds out what happened to the containers of a pod in a running
// cluster: from what its probes have written down or else, for pods of any other
// kind, from its status and events.
package livepod

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"sidecar-node/e2e/framework"
	"sidecar-node/e2e/gantt"
	"sidecar-node/e2e/role"
	"sidecar-node/e2e/timeline"
	"sidecar-node/images/probe/record"
)

// What a pod was read from, as people read it.
const (
	fromJournal = "From the journal of the suite on the node."
	asSecond    = "as exact as a second, within which the order is assumed; events are kept for an hour"
)

// Pod is what was found out about a pod.
type Pod struct {
	gantt.Pod
	// Source says in a sentence where it comes from.
	Source string
}

// ParseName splits the name of a pod as people give it.
func ParseName(name string) (namespace, pod string, err error) {
	namespace, pod, found := strings.Cut(name, "/")
	if !found || namespace == "" || pod == "" || strings.Contains(pod, "/") {
		return "", "", fmt.Errorf("pod %q: want a namespace, a slash and a name, such as default/web-0; kubectl get pods -A lists them", name)
	}
	return namespace, pod, nil
}

// Read finds out what happened in a pod.
func Read(ctx context.Context, c *framework.Cluster, namespace, name string) (Pod, error) {
	p := Pod{Pod: gantt.Pod{Name: name}}
	pod, err := c.LivePod(ctx, namespace, name)
	if err != nil && !apierrors.IsNotFound(err) {
		return p, fmt.Errorf("reading pod %s/%s: %w", namespace, name, err)
	}
	uid := ""
	if err == nil {
		uid = string(pod.GetUID())
		p.Containers = role.Of(spec(pod))
	}
	// A journal that cannot be read is no reason to show nothing.
	journal, journalErr := c.LiveJournal(ctx, namespace, name)
	if records := latest(journal, uid); len(records) > 0 {
		p.Records, p.Source = records, fromJournal
	}
	if journalErr != nil {
		p.Notes = append(p.Notes, "The journal of the suite could not be read: "+journalErr.Error())
	}
	if err != nil {
		if len(p.Records) == 0 {
			return p, errors.Join(missing(ctx, c, namespace, name), journalErr)
		}
		p.Notes = append(p.Notes, "The pod is gone, so nobody knows what its containers were for.")
		return p, nil
	}
	objects, err := c.LiveEvents(ctx, namespace, uid)
	if err != nil {
		p.Notes = append(p.Notes, err.Error())
	}
	events := parseEvents(objects)
	p.Events = marks(events)
	if lasts(pod) {
		p.Until = time.Now()
	}
	if len(p.Records) > 0 {
		return p, nil
	}
	known, vague, notes := fromStatus(pod, events)
	logs, logNotes := readLogs(ctx, c, pod, p.Containers)
	p.Notes = append(p.Notes, append(notes, logNotes...)...)
	p.Records = merge(known, logs, name, uid)
	p.Vague, p.Source = source(p.Containers, logs, vague)
	return p, nil
}

// latest returns the records of the pod with the UID or, if it is empty, of the last
// pod that is there.
func latest(records []record.Record, uid string) []record.Record {
	pods := timeline.Pods(records)
	for i := len(pods) - 1; i >= 0; i-- {
		if uid == "" || pods[i].UID == uid {
			return pods[i].Records
		}
	}
	return nil
}

// source says from where the containers are known, and leaves those in vague of which
// nothing is known but the status.
func source(containers []role.Container, logs map[string][]record.Record, vague map[string]bool) (map[string]bool, string) {
	var told, rest []string
	for _, c := range containers {
		if len(logs[c.Name]) == 0 {
			rest = append(rest, c.Name)
			continue
		}
		told = append(told, c.Name)
		delete(vague, c.Name)
	}
	switch {
	case len(told) == 0:
		return vague, "From the status and the events of the pod, " + asSecond + "."
	case len(rest) == 0:
		return vague, "From the records in the logs of " + strings.Join(told, ", ") + ". The end of a container that was killed is from the status."
	}
	return vague, fmt.Sprintf("From the records in the logs of %s. What is known of %s is from the status and the events, %s.", strings.Join(told, ", "), strings.Join(rest, ", "), asSecond)
}

// lasts tells whether something in the pod waits or stops now: then it matters for how
// long.
func lasts(pod *unstructured.Unstructured) bool {
	phase, _, _ := unstructured.NestedString(pod.Object, "status", "phase")
	return phase == string(corev1.PodPending) || pod.GetDeletionTimestamp() != nil
}

// missing says that there is no such pod, and which ones there are.
func missing(ctx context.Context, c *framework.Cluster, namespace, name string) error {
	names, err := c.PodNames(ctx, namespace)
	found := "and no other pod either"
	if err != nil {
		found = "and its pods could not be listed: " + err.Error()
	} else if len(names) > 0 {
		found = "but " + strings.Join(names[:min(len(names), 10)], ", ")
		if len(names) > 10 {
			found += fmt.Sprintf(" and %d more", len(names)-10)
		}
	}
	return fmt.Errorf("namespace %s has no pod %s, %s; a pod that is gone can be drawn only while the suite runs, whose journal outlives pods", namespace, name, found)
}
