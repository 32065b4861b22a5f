package livepod

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"sidecar-node/e2e/framework"
	"sidecar-node/e2e/role"
	"sidecar-node/images/probe/record"
)

// maxLog bounds what is read of a log, in bytes: a probe that makes calls for days
// fills less.
const maxLog = 8 << 20

// readLogs reads the records that the probes of a pod have printed, by container.
// Containers that are no probes have none.
func readLogs(ctx context.Context, c *framework.Cluster, pod *unstructured.Unstructured, containers []role.Container) (map[string][]record.Record, []string) {
	found := map[string][]record.Record{}
	var notes []string
	for _, container := range containers {
		st := status(pod, container.Name)
		if st == nil || waits(st) && !restarted(st) {
			continue
		}
		var logs [][]byte
		for _, previous := range []bool{true, false} {
			// While a container waits for its next run, both are the same log.
			if previous && (!restarted(st) || waits(st)) {
				continue
			}
			log, err := c.Log(ctx, pod.GetNamespace(), pod.GetName(), container.Name, previous, maxLog)
			// The log of a container that was removed or has not started.
			if apierrors.IsBadRequest(err) || apierrors.IsNotFound(err) {
				continue
			}
			if err != nil {
				notes = append(notes, fmt.Sprintf("The log of %s could not be read: %v", container.Name, err))
				continue
			}
			logs = append(logs, log)
		}
		restarts, _, _ := unstructured.NestedInt64(st, "restartCount")
		if records := probeRecords(container.Name, logs, int(restarts)+1); records != nil {
			found[container.Name] = records
		}
	}
	return found, notes
}

func waits(status map[string]any) bool {
	_, found, _ := unstructured.NestedMap(status, "state", "waiting")
	return found
}

func restarted(status map[string]any) bool {
	_, found, _ := unstructured.NestedMap(status, "lastState", "terminated")
	return found
}

// probeRecords reads the records of a container from its logs, of which the last one
// is of its last run; runs is how many there were. It returns nil if a log is not one
// of a probe. The name of the container is that of the pod, whatever the probe was
// told, and the runs are counted anew, as a probe without a journal does not know them.
func probeRecords(container string, logs [][]byte, runs int) []record.Record {
	var all []record.Record
	for _, log := range logs {
		// A limit may have cut the last line.
		log = log[:bytes.LastIndexByte(log, '\n')+1]
		records, err := record.Parse(bytes.NewReader(log))
		if err != nil {
			return nil
		}
		all = append(all, records...)
	}
	starts := 0
	for _, r := range all {
		if r.Wall.IsZero() || r.Event == "" {
			return nil
		}
		if r.Event == record.Start {
			starts++
		}
	}
	if starts == 0 {
		return nil
	}
	run := max(runs-starts, 0)
	for i := range all {
		if all[i].Event == record.Start {
			run++
		}
		all[i].Container, all[i].Run = container, max(run, 1)
	}
	return all
}

// merge makes one journal of the records in logs and, for other containers, of those
// from the status. A killed container has no last word in its log; its end comes from
// the status, too.
func merge(known []record.Record, logs map[string][]record.Record, pod, uid string) []record.Record {
	var all []record.Record
	for _, r := range known {
		log := logs[r.Container]
		switch {
		case len(log) == 0:
			all = append(all, r)
		case r.Event == record.Exit || r.Event == record.Gone:
			if end, ok := lastWord(r, log); ok {
				all = append(all, end)
			}
		}
	}
	for _, log := range logs {
		all = append(all, log...)
	}
	slices.SortStableFunc(all, func(a, b record.Record) int {
		return a.Wall.Compare(b.Wall)
	})
	for i := range all {
		// Probes that were not told the name of their pod don't know it.
		all[i].Pod, all[i].UID = pod, uid
		all[i].Seq, all[i].Mono = int64(i+1), all[i].Wall.Sub(all[0].Wall).Nanoseconds()
	}
	return all
}

// lastWord returns the end of a run whose log lacks it. The status knows it to the
// second only, but it comes after all that the run has written and before the next one.
func lastWord(end record.Record, log []record.Record) (record.Record, bool) {
	seen := false
	for _, r := range log {
		switch {
		case r.Run == end.Run && r.Event == record.Exit:
			return end, false
		case r.Run == end.Run:
			seen = true
			if end.Wall.Before(r.Wall) {
				end.Wall = r.Wall.Add(1)
			}
		case r.Run == end.Run+1 && r.Event == record.Start && end.Wall.After(r.Wall):
			end.Wall = r.Wall.Add(-1)
		}
	}
	return end, seen
}
