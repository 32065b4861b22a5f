package framework

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/kind/pkg/cluster"
	"sigs.k8s.io/kind/pkg/cluster/nodes"

	"sidecar-node/e2e/journal"
	"sidecar-node/images/probe/record"
)

// Node is a node of a kind cluster on this machine, as its administrator sees
// it. It works without the API server and without the kubelet.
type Node struct {
	Name string

	engine string
	node   nodes.Node
}

// Nodes returns the nodes of the cluster, of which each has to be a container
// that kind has made on this machine.
func (c *Cluster) Nodes(ctx context.Context) ([]*Node, error) {
	list, err := c.dynamic.Resource(nodeResource).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	made := madeByKind()
	var found []*Node
	for _, o := range list.Items {
		n, ok := made[o.GetName()]
		if !ok {
			return nil, fmt.Errorf("node %s is no container of kind on this machine; specs that do something to a node need one, see docs/testing.md", o.GetName())
		}
		found = append(found, n)
	}
	if len(found) == 0 {
		return nil, errors.New("the cluster has no node")
	}
	return found, nil
}

// madeByKind returns the nodes of all of kind's clusters, by name. An engine
// that does not answer has none.
func madeByKind() map[string]*Node {
	found := map[string]*Node{}
	for engine, option := range map[string]cluster.ProviderOption{
		"docker": cluster.ProviderWithDocker(), "podman": cluster.ProviderWithPodman(), "nerdctl": cluster.ProviderWithNerdctl(""),
	} {
		if _, err := exec.LookPath(engine); err != nil {
			continue
		}
		provider := cluster.NewProvider(option)
		clusters, err := provider.List()
		if err != nil {
			continue
		}
		for _, name := range clusters {
			list, err := provider.ListNodes(name)
			if err != nil {
				continue
			}
			for _, n := range list {
				found[n.String()] = &Node{Name: n.String(), engine: engine, node: n}
			}
		}
	}
	return found
}

// Shell runs a script on the node and returns what it prints.
func (n *Node) Shell(ctx context.Context, script string) (string, error) {
	var out, errOut bytes.Buffer
	err := n.node.CommandContext(ctx, "bash", "-ec", script).SetStdout(&out).SetStderr(&errOut).Run()
	if err != nil {
		return out.String(), fmt.Errorf("node %s: %s: %w: %s", n.Name, script, err, strings.TrimSpace(errOut.String()))
	}
	return out.String(), nil
}

// Restart stops the node and starts it again, as a machine that is rebooted.
func (n *Node) Restart(ctx context.Context) error {
	out, err := exec.CommandContext(ctx, n.engine, "restart", "-t", "5", n.Name).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s restart %s: %w: %s", n.engine, n.Name, err, bytes.TrimSpace(out))
	}
	return nil
}

// TouchHere makes the file /journal/NAME of a space, on this node and without
// the API server.
func (n *Node) TouchHere(ctx context.Context, s *Space, name string) error {
	_, err := n.Shell(ctx, "touch "+n.folder(s)+"/"+name)
	return err
}

// JournalHere reads the journal of a space on this node without the API server.
func (n *Node) JournalHere(ctx context.Context, s *Space) (journal.Timeline, error) {
	out, err := n.Shell(ctx, "cat "+n.folder(s)+"/"+record.FileName)
	if err != nil {
		return journal.Timeline{}, err
	}
	records, err := record.Parse(strings.NewReader(out))
	return journal.New(records), err
}

func (n *Node) folder(s *Space) string { return s.Config.Journal.HostPath + "/" + s.Namespace }

// AwaitHere waits until the journal on this node has the point, without the API
// server.
func (n *Node) AwaitHere(ctx context.Context, s *Space, limit time.Duration, p journal.Point) error {
	var last error
	return s.poll(ctx, limit, func(ctx context.Context) bool {
		tl, err := n.JournalHere(ctx, s)
		if last = err; err == nil {
			last = tl.Has(p)
		}
		return last == nil
	}, func() error { return timedOut(limit, p.String()+" on node "+n.Name, last, nil) })
}

// TagImage gives an image of the node one more name.
func (n *Node) TagImage(ctx context.Context, image, name string) error {
	_, err := n.Shell(ctx, fmt.Sprintf("ctr -n k8s.io images tag --force %s %s", image, name))
	return err
}

// Sandboxes returns the IDs of the sandboxes of a pod that are ready.
func (n *Node) Sandboxes(ctx context.Context, namespace, pod string) ([]string, error) {
	out, err := n.Shell(ctx, fmt.Sprintf("crictl pods --quiet --state ready --namespace %s --name '^%s$'", namespace, pod))
	return strings.Fields(out), err
}

// AwaitReady waits until the API server answers and says that all nodes are
// ready, and until the readers of journals run.
func (c *Cluster) AwaitReady(ctx context.Context) error {
	limit := c.Config.Intervals.Setup.Duration
	var last error
	return c.poll(ctx, limit, func(ctx context.Context) bool {
		if last = c.allNodesReady(ctx); last != nil {
			return false
		}
		if last = c.readersMissing(ctx); last != nil {
			return false
		}
		// The proxy has to reach them as well.
		s := &Space{Cluster: c, Namespace: "none"}
		last = s.eachReader(ctx, "GET", "", nil)
		return last == nil
	}, func() error { return timedOut(limit, "the cluster to be ready again", last, nil) })
}

// allNodesReady returns an error unless every node is ready.
func (c *Cluster) allNodesReady(ctx context.Context) error {
	list, err := c.dynamic.Resource(nodeResource).List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	ready, err := c.readyNodes(ctx)
	if err == nil && len(ready) < len(list.Items) {
		err = fmt.Errorf("%d of %d nodes are ready", len(ready), len(list.Items))
	}
	return err
}
