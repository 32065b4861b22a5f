package bench

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"

	"sidecar-node/e2e/framework"
	"sidecar-node/e2e/journal"
)

// churn makes a batch of pods that end at once, and deletes each when it has ended.
func (b *Bench) churn(ctx context.Context, round int, kubelet string) (samples []Sample, err error) {
	in := shape{kubelet: kubelet}
	err = b.turn(ctx, func(s *framework.Space, pods *framework.Watch) error {
		before, err := readUsage(ctx, b.nodes[kubelet])
		if err != nil {
			return err
		}
		created := make([]time.Time, b.Pods)
		for i := range created {
			manifest, err := in.pod(podName(i))
			if err != nil {
				return err
			}
			created[i] = time.Now()
			if err := s.Apply(ctx, manifest); err != nil {
				return err
			}
		}
		for i := range created {
			limit := s.Config.Intervals.Start.Duration
			if _, err := pods.Await(ctx, limit, "the success of "+podName(i), framework.InPhase(podName(i), string(corev1.PodSucceeded))); err != nil {
				return err
			}
			if err := s.DeletePod(ctx, podName(i), -1); err != nil {
				return err
			}
		}
		last := created[0]
		for i := range created {
			gone, err := pods.Await(ctx, s.Config.Intervals.Stop.Duration, "the end of "+podName(i), framework.IsDeleted(podName(i)))
			if err != nil {
				return err
			}
			if gone.At.After(last) {
				last = gone.At
			}
		}
		after, err := readUsage(ctx, b.nodes[kubelet])
		if err != nil {
			return err
		}
		cpu, _, err := after.since(before)
		if err != nil {
			return fmt.Errorf("node %s: %w", b.nodes[kubelet].Name, err)
		}
		all, err := b.journal(ctx, s, in)
		if err != nil {
			return err
		}
		latencies := make([]float64, b.Pods)
		for i := range latencies {
			began, err := all.Pod(podName(i)).At(journal.Start(app))
			if err != nil {
				return fmt.Errorf("pod %s: %w", podName(i), err)
			}
			latencies[i] = began.Wall.Sub(created[i]).Seconds()
		}
		n := float64(b.Pods)
		samples = []Sample{
			{round, ChurnLatency, kubelet, median(latencies)},
			{round, ChurnRate, kubelet, n / last.Sub(created[0]).Minutes()},
			{round, ChurnCPU, kubelet, cpu.Seconds() / n},
			{round, ChurnMemory, kubelet, after.memory},
		}
		return nil
	})
	return samples, err
}

func podName(i int) string { return "pod-" + strconv.Itoa(i) }

// settle is how long kubelets are left alone before they count as resting.
const settle = 3 * time.Second

// rest watches all kubelets at the same time while nothing is asked of them.
func (b *Bench) rest(ctx context.Context, round int) ([]Sample, error) {
	if err := sleep(ctx, settle); err != nil {
		return nil, err
	}
	before, err := b.usages(ctx)
	if err != nil {
		return nil, err
	}
	if err := sleep(ctx, b.Rest); err != nil {
		return nil, err
	}
	after, err := b.usages(ctx)
	if err != nil {
		return nil, err
	}
	var samples []Sample
	for i, kubelet := range kubelets {
		cpu, took, err := after[i].since(before[i])
		if err != nil {
			return nil, fmt.Errorf("node %s: %w", b.nodes[kubelet].Name, err)
		}
		samples = append(samples,
			Sample{round, RestCPU, kubelet, cpu.Seconds() / took.Seconds()},
			Sample{round, RestMemory, kubelet, after[i].memory})
	}
	return samples, nil
}

// usages reads what all kubelets have used, in their order.
func (b *Bench) usages(ctx context.Context) ([]usage, error) {
	found, errs := make([]usage, len(kubelets)), make([]error, len(kubelets))
	var all sync.WaitGroup
	for i, kubelet := range kubelets {
		all.Go(func() { found[i], errs[i] = readUsage(ctx, b.nodes[kubelet]) })
	}
	all.Wait()
	return found, errors.Join(errs...)
}

func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}
