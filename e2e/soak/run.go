package soak

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	mathrand "math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"sigs.k8s.io/yaml"

	"sidecar-node/e2e/framework"
	"sidecar-node/e2e/journal"
)

// Soak is a run of many pods.
type Soak struct {
	Cluster *framework.Cluster
	// Rounds is how many pods are run, Batch how many of them at a time.
	Rounds, Batch int
	Seed          uint64
	// Kill says that kubelets are killed.
	Kill bool
	// Limit is how long a batch may take before its pods count as stuck.
	Limit time.Duration
	// StartLag is how long the first word of a container may take.
	StartLag time.Duration
	// Simplify says that for the first violation a simpler pod is looked for.
	Simplify bool
	// Dir receives manifest and timeline of each violation.
	Dir string
	Out io.Writer
}

// Result is what a soak came to.
type Result struct {
	Pods, Kills, Violations int
}

func (r Result) String() string {
	return fmt.Sprintf("%d pods, %d kills of a kubelet, %d violations", r.Pods, r.Kills, r.Violations)
}

// Run runs the soak. Violations are no error.
func (s *Soak) Run(ctx context.Context) (Result, error) {
	var total Result
	nodes, err := s.Cluster.Nodes(ctx)
	if err != nil && s.Kill {
		return total, err
	}
	id := strings.ToLower(rand.Text()[:5])
	start := time.Now()
	for batch := 0; total.Pods < s.Rounds; batch++ {
		n := min(s.Batch, s.Rounds-total.Pods)
		random := mathrand.New(mathrand.NewPCG(s.Seed, uint64(batch)))
		shapes := make([]Shape, n)
		for i := range shapes {
			shapes[i] = Draw(random)
		}
		outcomes, kills, err := s.batch(ctx, fmt.Sprintf("soak-%s-%d", id, batch), shapes, nodes, random)
		if err != nil {
			return total, fmt.Errorf("batch %d of seed %d: %w", batch, s.Seed, err)
		}
		total.Pods += n
		total.Kills += kills
		for i, o := range outcomes {
			wrong := o.Judge()
			if len(wrong) == 0 {
				continue
			}
			total.Violations++
			if err := s.report(batch, i, "", o, wrong); err != nil {
				return total, err
			}
			if s.Simplify && total.Violations == 1 {
				simpler := func(n int, o Outcome, wrong []string) error {
					return s.report(batch, i, fmt.Sprintf("-simpler-%d", n), o, wrong)
				}
				if err := s.Shrink(ctx, fmt.Sprintf("soak-%s-%d-%d", id, batch, i), o, nodes, random, simpler); err != nil {
					return total, err
				}
			}
		}
		fmt.Fprintf(s.Out, "    %s, %.0f s\n", total, time.Since(start).Seconds())
	}
	return total, nil
}

// report writes a violation down, and prints where.
func (s *Soak) report(batch, i int, suffix string, o Outcome, wrong []string) error {
	manifest, err := o.Shape.Manifest("pod")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(s.Dir, 0o755); err != nil {
		return err
	}
	file := filepath.Join(s.Dir, fmt.Sprintf("seed-%d-batch-%d-pod-%d%s.txt", s.Seed, batch, i, suffix))
	status, err := yaml.Marshal(o.Status)
	if err != nil {
		return err
	}
	text := fmt.Sprintf("seed %d, batch %d, pod %d, %d kills\n%s\n\n%s\n%s\nthe status seen last:\n\n%s", s.Seed, batch, i, o.Kills, strings.Join(wrong, "\n"), manifest, o.Journal, status)
	fmt.Fprintf(s.Out, "VIOLATION %s\n%s\n", strings.Join(wrong, "; "), file)
	return os.WriteFile(file, []byte(text), 0o644)
}

// batch runs pods side by side in a space of their own.
func (s *Soak) batch(ctx context.Context, name string, shapes []Shape, nodes []*framework.Node, random *mathrand.Rand) (_ []Outcome, kills int, err error) {
	space, err := s.Cluster.NewSpace(ctx, name)
	if err != nil {
		return nil, 0, err
	}
	defer func() {
		if closeErr := space.Close(context.WithoutCancel(ctx)); err == nil {
			err = closeErr
		}
		if goneErr := awaitGone(context.WithoutCancel(ctx), space); err == nil {
			err = goneErr
		}
		if removeErr := space.RemoveJournal(context.WithoutCancel(ctx)); err == nil {
			err = removeErr
		}
	}()
	stop := make(chan struct{})
	var killed sync.WaitGroup
	var killErr error
	if s.Kill {
		// When to kill is drawn beforehand, with the shapes.
		waits := make([]time.Duration, random.IntN(3))
		for i := range waits {
			waits[i] = time.Duration(500+random.IntN(5000)) * time.Millisecond
		}
		killed.Go(func() {
			for i, wait := range waits {
				select {
				case <-stop:
					return
				case <-time.After(wait):
				}
				node := nodes[i%len(nodes)]
				if _, err := node.Shell(ctx, "systemctl kill --signal=KILL kubelet; sleep 0.5; systemctl start kubelet"); err != nil {
					killErr = err
					return
				}
				kills++
			}
		})
	}
	outcomes := make([]Outcome, len(shapes))
	errs := make([]error, len(shapes))
	var pods sync.WaitGroup
	for i, shape := range shapes {
		outcomes[i].Shape = shape
		pods.Go(func() {
			outcomes[i].Phase, outcomes[i].Status, errs[i] = s.pod(ctx, space, fmt.Sprintf("pod-%d", i), shape)
		})
	}
	pods.Wait()
	close(stop)
	killed.Wait()
	if killErr != nil {
		return nil, kills, killErr
	}
	for _, err := range errs {
		if err != nil {
			return nil, kills, err
		}
	}
	var tl journal.Timeline
	if err := space.Insist(ctx, func(ctx context.Context) error { tl, err = space.Journal(ctx); return err }); err != nil {
		return nil, kills, err
	}
	for i := range outcomes {
		outcomes[i].Journal = tl.Pod(fmt.Sprintf("pod-%d", i))
		outcomes[i].Kills = kills
		outcomes[i].StartLag = s.StartLag
		// Twenty pods stop side by side, and a kubelet may have to start first.
		outcomes[i].Overhead = 2*s.Cluster.Config.Intervals.KillOverhead.Duration + time.Duration(kills)*10*time.Second
	}
	return outcomes, kills, nil
}

// awaitGone waits until no pod of the space is left. A kubelet that is started among
// the remains of dead containers needs seconds for each of them.
func awaitGone(ctx context.Context, space *framework.Space) error {
	return space.Insist(ctx, func(ctx context.Context) error {
		left, err := space.Pods(ctx, "")
		if err == nil && len(left) > 0 {
			err = fmt.Errorf("namespace %s still has %d pods: want none after their deletion without grace", space.Namespace, len(left))
		}
		return err
	})
}

// pod creates a pod and waits for its end. It returns the phase in which it was seen
// last, empty if it is gone, and its status then.
func (s *Soak) pod(ctx context.Context, space *framework.Space, name string, shape Shape) (corev1.PodPhase, corev1.PodStatus, error) {
	var status corev1.PodStatus
	manifest, err := shape.Manifest(name)
	if err != nil {
		return "", status, err
	}
	if err := space.Apply(ctx, manifest); err != nil {
		return "", status, err
	}
	deleteAt := time.Now().Add(shape.DeleteAfter)
	deleted := shape.DeleteAfter == 0
	for end := time.Now().Add(s.Limit); time.Now().Before(end); time.Sleep(s.Cluster.Config.Intervals.Poll.Duration) {
		if ctx.Err() != nil {
			return status.Phase, status, ctx.Err()
		}
		if !deleted && time.Now().After(deleteAt) {
			if err := space.DeletePod(ctx, name, -1); err != nil && !apierrors.IsNotFound(err) {
				continue
			}
			deleted = true
		}
		pod, err := space.Pod(ctx, name)
		if apierrors.IsNotFound(err) {
			return "", status, nil
		}
		if err != nil {
			continue // An API server that is busy does not end a soak.
		}
		status = pod.Status
		if shape.DeleteAfter == 0 && (status.Phase == corev1.PodSucceeded || status.Phase == corev1.PodFailed) {
			break
		}
	}
	return status.Phase, status, nil
}
