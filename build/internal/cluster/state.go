package cluster

import (
	"context"
	"fmt"
	"path"
	"strings"
)

// State says what is there under the name of a cluster.
type State string

const (
	// Absent means that there are no nodes of that name.
	Absent State = "absent"
	// Current means that all nodes run and were made from the node image as
	// the engine has it now.
	Current State = "current"
	// Outdated means that all nodes run, and some were made from an earlier
	// build of the node image.
	Outdated State = "outdated"
	// Stopped means that some node doesn't run.
	Stopped State = "stopped"
)

// ForeignError says that a cluster of that name was made from other images.
type ForeignError struct {
	Cluster, Node, Image string
	// Wanted is the name of the node image that its nodes would have.
	Wanted string
}

func (e *ForeignError) Error() string {
	return fmt.Sprintf("there is a kind cluster %s already, but its node %s was made from the image %s: want %s\n"+
		"to keep it, choose another name with --name; to lose it: go tool kind delete cluster --name %s",
		e.Cluster, e.Node, e.Image, e.Wanted, e.Cluster)
}

// State looks at the nodes of the cluster. The error is a *ForeignError when
// they are of somebody else's making.
func (c *Cluster) State(ctx context.Context) (State, error) {
	names, err := c.nodes(ctx)
	if err != nil || len(names) == 0 {
		return Absent, err
	}
	want := map[string]string{}
	for _, image := range append([]string{c.Image}, c.OtherImages...) {
		id, err := c.Engine.ImageID(ctx, image)
		if err != nil {
			return "", err
		}
		want[repository(image)] = id
	}
	state := Current
	for _, name := range names {
		out, err := output(c.Engine.Command(ctx, "container", "inspect", "--format", "{{.Image}} {{.State.Running}} {{.Config.Image}}", name))
		if err != nil {
			return "", err
		}
		fields := strings.Fields(out)
		if len(fields) < 2 {
			return "", fmt.Errorf("%s container inspect %s: printed %q", c.Engine.Name, name, out)
		}
		image := strings.Join(fields[2:], " ")
		if isLoadBalancer(name) {
			continue
		}
		id, ours := want[repository(image)]
		if !ours {
			return "", &ForeignError{Cluster: c.Name, Node: name, Image: image, Wanted: c.Image}
		}
		if fields[1] != "true" {
			state = Stopped
		}
		if state != Stopped && strings.TrimPrefix(fields[0], "sha256:") != id {
			state = Outdated
		}
	}
	return state, nil
}

// isLoadBalancer reports whether a container of a cluster is the one that kind
// puts before several control planes; its image is never ours.
func isLoadBalancer(node string) bool { return strings.HasSuffix(node, "-external-load-balancer") }

// repository is the last part of the name of an image, without registry, tag
// and digest.
func repository(image string) string {
	name, _, _ := strings.Cut(path.Base(image), "@")
	name, _, _ = strings.Cut(name, ":")
	return name
}
