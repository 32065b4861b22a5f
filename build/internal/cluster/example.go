package cluster

import (
	"context"
	"fmt"
	"strings"
	"time"

	"sidecar-node/e2e/timeline"
)

// exampleLimit is far more than the example's few seconds of work.
const exampleLimit = 2 * time.Minute

// JobComplete reports whether the named Job exists in the default namespace
// and has completed.
func (c *Cluster) JobComplete(ctx context.Context, job string) (bool, error) {
	out, err := output(c.kubectl(ctx, "get", "job", job, "--ignore-not-found", "--output", `jsonpath={.status.conditions[?(@.type=="Complete")].status}`))
	return strings.TrimSpace(out) == "True", err
}

// RunJob applies the manifest of a Job, replacing an earlier run of it, waits
// until the Job has completed and draws what happened in its pods. The error
// of a Job that doesn't complete shows its state and events.
func (c *Cluster) RunJob(ctx context.Context, manifest, job string) error {
	fmt.Fprintf(c.Out, "==> run %s\n", manifest)
	if _, err := output(c.kubectl(ctx, "delete", "job", job, "--ignore-not-found", "--wait", "--cascade=foreground")); err != nil {
		return err
	}
	start := time.Now()
	if _, err := output(c.kubectl(ctx, "apply", "--filename", manifest)); err != nil {
		return err
	}
	if _, err := output(c.kubectl(ctx, "wait", "--for=condition=Complete", "job/"+job, "--timeout="+exampleLimit.String())); err != nil {
		state, _ := output(c.kubectl(ctx, "describe", "job,pods", "--selector", "job-name="+job))
		logs, _ := c.jobLogs(ctx, job)
		return fmt.Errorf("the Job %s did not complete: %w\n%s\n%s", job, err, state, logs)
	}
	fmt.Fprintf(c.Out, "==> Job completed in %.1f s\n\n", time.Since(start).Seconds())
	return c.PrintTimeline(ctx, job)
}

// PrintTimeline draws what happened in the pods of a Job, from their logs.
func (c *Cluster) PrintTimeline(ctx context.Context, job string) error {
	logs, err := c.jobLogs(ctx, job)
	if err != nil {
		return err
	}
	return timeline.FromLogs(c.Out, strings.NewReader(logs))
}

func (c *Cluster) jobLogs(ctx context.Context, job string) (string, error) {
	return output(c.kubectl(ctx, "logs", "--selector", "job-name="+job, "--all-containers", "--tail=-1"))
}
