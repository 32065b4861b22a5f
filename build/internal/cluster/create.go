package cluster

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// Limits of waiting. A cluster is ready in about half a minute on two cores;
// the limits leave room for emulated machines.
const (
	controlPlaneLimit = 10 * time.Minute
	readyLimit        = 5 * time.Minute
)

// Create creates the cluster and returns when its nodes and system pods are
// ready. A cluster of that name must not exist. When creation fails, the
// output of kind and the logs of the nodes are kept in Reports and the half
// made cluster is removed.
func (c *Cluster) Create(ctx context.Context) error {
	return c.locked(ctx, func() error { return c.create(ctx) })
}

func (c *Cluster) create(ctx context.Context) error {
	if err := os.MkdirAll(c.Reports, 0o755); err != nil {
		return err
	}
	logFile := filepath.Join(c.Reports, "kind-"+c.Name+".log")
	log, err := os.Create(logFile)
	if err != nil {
		return err
	}
	defer log.Close()
	args := []string{"create", "cluster", "--name", c.Name, "--config", c.Config, "--wait", controlPlaneLimit.String(), "--retain"}
	if len(c.OtherImages) == 0 {
		args = append(args, "--image", c.Image)
	}
	if !c.UserKubeconfig {
		args = append(args, "--kubeconfig", c.Kubeconfig)
	}
	start := time.Now()
	fmt.Fprintf(c.Out, "==> create cluster %s on %s %s\n", c.Name, c.Engine.Name, c.Engine.Version)
	create := c.kind(ctx, args...)
	create.Stdout, create.Stderr = log, log
	if err := create.Run(); err != nil {
		return c.createFailed(ctx, err, logFile)
	}
	if err := c.writeKubeconfig(ctx); err != nil {
		return err
	}
	if len(c.OtherImages) > 0 {
		if err := c.nameKubeProxy(ctx); err != nil {
			return err
		}
	}
	fmt.Fprintf(c.Out, "==> cluster created in %.1f s\n", time.Since(start).Seconds())
	return c.AwaitReady(ctx)
}

// nameKubeProxy gives the image of kube-proxy on nodes of another version the name
// that the cluster wants. With a registry such a node would pull it.
func (c *Cluster) nameKubeProxy(ctx context.Context) error {
	want, err := output(c.kubectl(ctx, "--namespace=kube-system", "get", "daemonset", "kube-proxy", "--output=jsonpath={.spec.template.spec.containers[0].image}"))
	if err != nil {
		return err
	}
	names, err := c.nodes(ctx)
	if err != nil {
		return err
	}
	const script = `images=$(ctr --namespace k8s.io images list --quiet); ` +
		`echo "$images" | grep -qxF "$0" || ctr --namespace k8s.io images tag "$(echo "$images" | grep -m1 "^${0%:*}:")" "$0"`
	for _, name := range names {
		if isLoadBalancer(name) {
			continue
		}
		if _, err := output(c.Engine.Command(ctx, "exec", name, "sh", "-ec", script, strings.TrimSpace(want))); err != nil {
			return fmt.Errorf("image of kube-proxy on node %s: %w", name, err)
		}
	}
	return nil
}

// createFailed keeps what explains the failure and removes the nodes.
func (c *Cluster) createFailed(ctx context.Context, err error, logFile string) error {
	// The user may have interrupted; the nodes must go all the same.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Minute)
	defer cancel()
	nodeLogs := filepath.Join(c.Reports, "nodes-"+c.Name)
	where := "logs of the nodes: " + nodeLogs
	if _, err := output(c.kind(ctx, "export", "logs", nodeLogs, "--name", c.Name)); err != nil {
		where = fmt.Sprintf("logs of the nodes could not be had: %v", err)
	}
	if err := c.delete(ctx); err != nil {
		where += fmt.Sprintf("\nthe half-made cluster could not be removed: %v", err)
	}
	return fmt.Errorf("kind could not create the cluster %s: %w\n%s\nall of its output: %s\n%s\nknown causes: docs/known-issues.md",
		c.Name, err, explanation(logFile, 20), logFile, where)
}

// writeKubeconfig writes the access to this cluster into its own file.
func (c *Cluster) writeKubeconfig(ctx context.Context) error {
	text, err := output(c.kind(ctx, "get", "kubeconfig", "--name", c.Name))
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(c.Kubeconfig), 0o755); err != nil {
		return err
	}
	tmp := c.Kubeconfig + ".tmp"
	if err := os.WriteFile(tmp, []byte(text), 0o600); err != nil {
		return err
	}
	return os.Rename(tmp, c.Kubeconfig)
}

// awaitAPI waits until the API server says that it is ready.
func (c *Cluster) awaitAPI(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, readyLimit)
	defer cancel()
	for {
		_, err := output(c.kubectl(ctx, "get", "--raw", "/readyz", "--request-timeout=5s"))
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("the API server of cluster %s was not ready within %s: %w\nto replace the cluster: make delete-cluster cluster", c.Name, readyLimit, err)
		case <-time.After(time.Second):
		}
	}
}

// AwaitReady waits until the API server, all nodes and all pods of the system are
// ready. The error of a wait in vain lists what wasn't.
func (c *Cluster) AwaitReady(ctx context.Context) error {
	start := time.Now()
	// Components that start with the node need a while.
	if err := c.awaitAPI(ctx); err != nil {
		return err
	}
	limit := "--timeout=" + readyLimit.String()
	for _, args := range [][]string{
		{"wait", "--for=condition=Ready", "nodes", "--all", limit},
		{"rollout", "status", "deployment", "--namespace", "kube-system", limit},
		{"rollout", "status", "daemonset", "--namespace", "kube-system", limit},
		{"wait", "--for=condition=Ready", "pods", "--all", "--namespace", "kube-system", limit},
		{"wait", "--for=create", "serviceaccount/default", "--namespace", "default", limit},
	} {
		if _, err := output(c.kubectl(ctx, args...)); err != nil {
			state, _ := output(c.kubectl(ctx, "get", "nodes,pods", "--all-namespaces", "--output", "wide"))
			return fmt.Errorf("cluster %s: %w\n%s", c.Name, err, state)
		}
	}
	fmt.Fprintf(c.Out, "==> nodes and system pods are ready (%.1f s)\n", time.Since(start).Seconds())
	return nil
}

// explanation returns the last n lines of kind's output that explain a failure:
// without the stack traces of kubeadm and kind and what kubeadm logs while it
// goes on, which are long.
func explanation(file string, n int) string {
	data, err := os.ReadFile(file)
	if err != nil {
		return err.Error()
	}
	var lines []string
	for line := range strings.Lines(string(data)) {
		line = strings.TrimRight(line, "\n")
		// A frame is a function, and below it a file with the line.
		if strings.TrimSpace(line) == "" || stackFile.MatchString(line) || stackFunction.MatchString(line) || progress.MatchString(line) {
			continue
		}
		lines = append(lines, line)
	}
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}

var (
	// progress is a line of klog that isn't an error.
	progress      = regexp.MustCompile(`^[IW]\d{4} [\d:.]+ `)
	stackFile     = regexp.MustCompile(`^\s+\S+\.(go|s):\d+$`)
	stackFunction = regexp.MustCompile(`^[\w./@-]+\.(\(\*?\w+\)\.)?[\w.]+$`)
)
