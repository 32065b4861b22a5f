// Package cluster creates and deletes kind clusters whose nodes are made from
// our images, and runs the example in them.
package cluster

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"sidecar-node/build/internal/engine"
)

// Cluster is a kind cluster, whether it exists or not.
type Cluster struct {
	// Name is kind's name of it. Its nodes are named after it.
	Name string
	// Config is the absolute path of kind's configuration file.
	Config string
	// Image is the node image, under a name that the engine has.
	Image string
	// OtherImages are further ones that nodes have by the configuration, which
	// then names the image of every node.
	OtherImages []string
	// Engine runs the nodes.
	Engine *engine.Engine
	// Root is the checkout, whose go.mod pins kind.
	Root string
	// Kubeconfig is the file that receives the access to this cluster alone.
	Kubeconfig string
	// UserKubeconfig also makes it the current context of the user's own
	// kubeconfig ($KUBECONFIG or ~/.kube/config), as kind does by itself.
	UserKubeconfig bool
	// Kubectl is the kubectl to use.
	Kubectl string
	// Reports is the folder for the output of kind and for logs of nodes.
	Reports string
	// Out receives the lines that people read.
	Out io.Writer
}

// kind returns the command that runs kind with this engine.
func (c *Cluster) kind(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "go", append([]string{"tool", "kind"}, args...)...)
	cmd.Dir = c.Root
	cmd.Env = c.Engine.Environ()
	return cmd
}

// kubectl returns the command that runs kubectl against this cluster.
func (c *Cluster) kubectl(ctx context.Context, args ...string) *exec.Cmd {
	return exec.CommandContext(ctx, c.Kubectl, append([]string{"--kubeconfig", c.Kubeconfig}, args...)...)
}

// output runs a command and returns its standard output. The error holds what
// it wrote to standard error.
func output(cmd *exec.Cmd) (string, error) {
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%s: %w: %s", line(cmd), err, strings.TrimSpace(stderr.String()))
	}
	return stdout.String(), nil
}

// line is a command as a person would type it.
func line(cmd *exec.Cmd) string {
	return strings.Join(append([]string{filepath.Base(cmd.Args[0])}, cmd.Args[1:]...), " ")
}

// nodes returns the names of the cluster's node containers, running or not.
func (c *Cluster) nodes(ctx context.Context) ([]string, error) {
	out, err := output(c.Engine.Command(ctx, "ps", "--all", "--filter", "label=io.x-k8s.kind.cluster="+c.Name, "--format", "{{.Names}}"))
	return strings.Fields(out), err
}

// Delete deletes the cluster and its entry in kubeconfig files. A cluster that
// isn't there is fine; one whose nodes were made from another image is left
// alone and reported as a *ForeignError.
func (c *Cluster) Delete(ctx context.Context) error {
	return c.locked(ctx, func() error { return c.deleteIfOurs(ctx) })
}

func (c *Cluster) deleteIfOurs(ctx context.Context) error {
	state, err := c.State(ctx)
	if err != nil {
		return err
	}
	if state == Absent {
		fmt.Fprintf(c.Out, "==> there is no cluster %s\n", c.Name)
		return removeFile(c.Kubeconfig)
	}
	fmt.Fprintf(c.Out, "==> delete cluster %s\n", c.Name)
	return c.delete(ctx)
}

func (c *Cluster) delete(ctx context.Context) error {
	cmd := c.kind(ctx, "delete", "cluster", "--name", c.Name)
	if !c.UserKubeconfig {
		// Without this kind would look for an entry in the user's own file.
		cmd.Args = append(cmd.Args, "--kubeconfig", c.Kubeconfig)
	}
	if _, err := output(cmd); err != nil {
		return err
	}
	return removeFile(c.Kubeconfig)
}

func removeFile(name string) error {
	if err := os.Remove(name); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}
