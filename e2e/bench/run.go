package bench

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"sidecar-node/e2e/framework"
)

// Bench is a run on a cluster with three workers, whose label sidecar-node/kubelet is
// stock, gate-off and gate-on; see examples/kind-mixed-versions.yaml. The nodes have to
// be containers of kind on this machine if what kubelets use is measured; in any case
// this machine and the nodes have to have the same time.
type Bench struct {
	Cluster  *framework.Cluster
	Measures []Measure
	// Rounds is how often each variant takes its turn.
	Rounds int
	// Pods is how many pods without sidecars a batch has.
	Pods int
	// Rest is how long kubelets are watched at rest.
	Rest time.Duration
	// Seed is what the order of the turns is drawn from.
	Seed uint64
	// Out receives what people read.
	Out io.Writer

	id    string
	nodes map[string]*framework.Node
	made  int
}

// spacePrefix begins the names of all spaces.
const spacePrefix = "bench-"

// Run returns what was measured, also when it ends with an error. The first measurement
// that does not happen ends it.
func (b *Bench) Run(ctx context.Context) (samples []Sample, err error) {
	if err := b.findNodes(ctx); err != nil {
		return nil, err
	}
	if err := b.Cluster.InstallReader(ctx); err != nil {
		return nil, err
	}
	defer func() {
		err = errors.Join(err, b.Cluster.RemoveReader(context.WithoutCancel(ctx), spacePrefix))
	}()
	b.id = strings.ToLower(rand.Text()[:5])
	for round := 1; round <= b.Rounds; round++ {
		start := time.Now()
		for _, t := range plan(b.Measures, b.Seed, round) {
			found, err := t.run(ctx, b, round)
			if err != nil {
				return samples, fmt.Errorf("round %d, %s: %w", round, t.name, err)
			}
			samples = append(samples, keep(found, b.Measures)...)
		}
		fmt.Fprintf(b.Out, "==> round %d of %d: %.1f s\n", round, b.Rounds, time.Since(start).Seconds())
	}
	return samples, nil
}

// findNodes finds the nodes by their labels, and as containers if a measure needs that.
func (b *Bench) findNodes(ctx context.Context) error {
	names := map[string]string{}
	for _, kubelet := range kubelets {
		name, err := b.Cluster.NodeWithLabel(ctx, kubeletLabel, kubelet)
		if err != nil {
			return fmt.Errorf("the cluster is none of examples/kind-mixed-versions.yaml: %w; without --kubeconfig and KUBECONFIG one is made", err)
		}
		names[kubelet] = name
	}
	if !needsNodes(b.Measures) {
		return nil
	}
	all, err := b.Cluster.Nodes(ctx)
	if err != nil {
		return err
	}
	b.nodes = map[string]*framework.Node{}
	for kubelet, name := range names {
		for _, n := range all {
			if n.Name == name {
				b.nodes[kubelet] = n
			}
		}
	}
	return nil
}

// turn runs do in a space of its own, so that journals stay short and pods have the same
// names, and returns when all its pods are gone.
func (b *Bench) turn(ctx context.Context, do func(s *framework.Space, pods *framework.Watch) error) (err error) {
	b.made++
	s, err := b.Cluster.NewSpace(ctx, fmt.Sprintf("%s%s-%04d", spacePrefix, b.id, b.made))
	if err != nil {
		return err
	}
	// An interrupted turn leaves nothing behind either.
	cleanup := context.WithoutCancel(ctx)
	pods, err := s.Watch(cleanup, framework.PodResource)
	if err != nil {
		return errors.Join(err, s.Close(cleanup))
	}
	defer pods.Stop()
	err = do(s, pods)
	return errors.Join(err, s.Close(cleanup), pods.AwaitNone(cleanup, s.Config.Intervals.Stop.Duration))
}
