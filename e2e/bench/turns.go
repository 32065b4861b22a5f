package bench

import (
	"context"
	"errors"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"

	"sidecar-node/e2e/framework"
	"sidecar-node/e2e/journal"
)

// job runs a Job whose pod has one sidecar to its end.
func (b *Bench) job(ctx context.Context, round int, variant string, in shape) (samples []Sample, err error) {
	in.readyAfter = readyAfter(round)
	manifest, err := in.job("job")
	if err != nil {
		return nil, err
	}
	err = b.turn(ctx, func(s *framework.Space, _ *framework.Watch) error {
		jobs, err := s.Watch(ctx, framework.JobResource)
		if err != nil {
			return err
		}
		defer jobs.Stop()
		if err := s.Apply(ctx, manifest); err != nil {
			return err
		}
		complete, err := jobs.Await(ctx, s.Config.Intervals.Job.Duration, "the Job to be complete", framework.HasTrueCondition("job", string(batchv1.JobComplete)))
		if err != nil {
			return err
		}
		p, err := b.journal(ctx, s, in)
		if err != nil {
			return err
		}
		ready, err1 := p.readyToStart()
		term, err2 := p.exitToTerm()
		exit, err3 := p.exit()
		samples = []Sample{
			{round, ReadyToStart, variant, ready.Seconds()},
			{round, ExitToTerm, variant, term.Seconds()},
			{round, ExitToComplete, variant, complete.At.Sub(exit.Wall).Seconds()},
		}
		return errors.Join(err1, err2, err3)
	})
	return samples, err
}

// journal reads the journal of a space, as that of one pod of the shape.
func (b *Bench) journal(ctx context.Context, s *framework.Space, in shape) (pod, error) {
	var tl journal.Timeline
	err := s.Insist(ctx, func(ctx context.Context) (err error) {
		tl, err = s.Journal(ctx)
		return err
	})
	return pod{tl, in.sidecars}, err
}

// pod starts a pod, and deletes it when it is ready.
func (b *Bench) pod(ctx context.Context, round int, variant string, in shape) (samples []Sample, err error) {
	in.readyAfter = readyAfter(round)
	manifest, err := in.pod("pod")
	if err != nil {
		return nil, err
	}
	err = b.turn(ctx, func(s *framework.Space, pods *framework.Watch) error {
		created := time.Now()
		if err := s.Apply(ctx, manifest); err != nil {
			return err
		}
		ready, err := pods.Await(ctx, s.Config.Intervals.Start.Duration, "the pod to be ready", framework.HasTrueCondition("pod", string(corev1.PodReady)))
		if err != nil {
			return err
		}
		// An app without a probe is ready for the kubelet before it has said a word.
		tl, err := s.AwaitPoint(ctx, s.Config.Intervals.Start.Duration, journal.Start(app))
		if err != nil {
			return err
		}
		p := pod{tl, in.sidecars}
		start, err := p.start()
		if err != nil {
			return err
		}
		began, err := p.At(journal.Start(app))
		if err != nil {
			return err
		}
		object, err := ready.Object.MarshalJSON()
		if err != nil {
			return err
		}
		deleted := time.Now()
		if err := s.DeletePod(ctx, "pod", -1); err != nil {
			return err
		}
		gone, err := pods.Await(ctx, s.Config.Intervals.Stop.Duration, "the end of the pod", framework.IsDeleted("pod"))
		if err != nil {
			return err
		}
		if in.sidecars <= 1 {
			samples = append(samples, Sample{round, DeleteToGone, variant, gone.At.Sub(deleted).Seconds()})
		}
		if in.sidecars == 0 {
			samples = append(samples, Sample{round, PodLatency, variant, began.Wall.Sub(created).Seconds()})
			return nil
		}
		samples = append(samples,
			Sample{round, Start, variant, start.Seconds()},
			Sample{round, ObjectSize, variant, float64(len(object))})
		return nil
	})
	return samples, err
}
