package framework

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// Pod reads a pod. The typed form lacks fields that upstream does not know; use
// Get for these.
func (s *Space) Pod(ctx context.Context, name string) (*corev1.Pod, error) {
	o, err := s.dynamic.Resource(PodResource).Namespace(s.Namespace).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return nil, err
	}
	pod := &corev1.Pod{}
	return pod, runtime.DefaultUnstructuredConverter.FromUnstructured(o.Object, pod)
}

// Pods reads the pods with the label, all of them if it is empty.
func (s *Space) Pods(ctx context.Context, label string) ([]corev1.Pod, error) {
	list, err := s.dynamic.Resource(PodResource).Namespace(s.Namespace).List(ctx, metav1.ListOptions{LabelSelector: label})
	if err != nil {
		return nil, err
	}
	pods := make([]corev1.Pod, len(list.Items))
	for i, o := range list.Items {
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(o.Object, &pods[i]); err != nil {
			return nil, err
		}
	}
	return pods, nil
}

// AwaitPod waits until done is nil for the pod. The error of a wait in vain
// holds done's last one and the pod's status.
func (s *Space) AwaitPod(ctx context.Context, name string, limit time.Duration, what string, done func(*corev1.Pod) error) (*corev1.Pod, error) {
	var pod *corev1.Pod
	var last error
	err := s.poll(ctx, limit, func(ctx context.Context) bool {
		now, err := s.Pod(ctx, name)
		if err != nil {
			last = err
			return false
		}
		pod, last = now, done(now)
		return last == nil
	}, func() error { return timedOut(limit, what, last, podStatus{pod}) })
	return pod, err
}

// AwaitPhase waits until the pod is in the phase.
func (s *Space) AwaitPhase(ctx context.Context, name string, limit time.Duration, phase corev1.PodPhase) (*corev1.Pod, error) {
	return s.AwaitPod(ctx, name, limit, "phase "+string(phase)+" of pod "+name, func(pod *corev1.Pod) error {
		if pod.Status.Phase != phase {
			return fmt.Errorf("the phase is %s", pod.Status.Phase)
		}
		return nil
	})
}

// maxLogs is how much of the log of a container Logs reads.
const maxLogs = 8 << 20

// Logs returns what the container has written to its standard output and standard
// error, the first 8 MiB of it.
func (s *Space) Logs(ctx context.Context, pod, container string) (string, error) {
	body, err := s.Log(ctx, s.Namespace, pod, container, false, maxLogs)
	if err != nil {
		return "", fmt.Errorf("log of container %s of pod %s: %w", container, pod, err)
	}
	return string(body), nil
}

// DeletePod asks for the deletion of a pod, with its own grace period if grace
// is negative.
func (s *Space) DeletePod(ctx context.Context, name string, grace time.Duration) error {
	opts := metav1.DeleteOptions{}
	if grace >= 0 {
		seconds := int64(grace / time.Second)
		opts.GracePeriodSeconds = &seconds
	}
	return s.dynamic.Resource(PodResource).Namespace(s.Namespace).Delete(ctx, name, opts)
}

// AwaitPodGone waits until the pod is gone from the API.
func (s *Space) AwaitPodGone(ctx context.Context, name string, limit time.Duration) error {
	var pod *corev1.Pod
	var last error
	return s.poll(ctx, limit, func(ctx context.Context) bool {
		now, err := s.Pod(ctx, name)
		if apierrors.IsNotFound(err) {
			return true
		}
		if last = err; err == nil {
			pod = now
		}
		return false
	}, func() error { return timedOut(limit, "the end of pod "+name, last, podStatus{pod}) })
}

// AwaitJob waits until the Job has the condition with status True.
func (s *Space) AwaitJob(ctx context.Context, name string, limit time.Duration, condition batchv1.JobConditionType) (*batchv1.Job, error) {
	var job *batchv1.Job
	var last error
	err := s.poll(ctx, limit, func(ctx context.Context) bool {
		now, err := s.Job(ctx, name)
		if last = err; err != nil {
			return false
		}
		job = now
		return HasCondition(job, condition)
	}, func() error {
		return timedOut(limit, fmt.Sprintf("condition %s of job %s", condition, name), last, jobStatus{job})
	})
	return job, err
}

// Job reads a Job.
func (s *Space) Job(ctx context.Context, name string) (*batchv1.Job, error) {
	o, err := s.dynamic.Resource(JobResource).Namespace(s.Namespace).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return nil, err
	}
	job := &batchv1.Job{}
	return job, runtime.DefaultUnstructuredConverter.FromUnstructured(o.Object, job)
}

// HasCondition tells whether the Job has the condition with status True.
func HasCondition(job *batchv1.Job, condition batchv1.JobConditionType) bool {
	for _, c := range job.Status.Conditions {
		if c.Type == condition && c.Status == corev1.ConditionTrue {
			return true
		}
	}
	return false
}

// Container returns the status of a container of the pod, or nil while the
// kubelet has not written one.
func Container(pod *corev1.Pod, name string) *corev1.ContainerStatus {
	for _, list := range [][]corev1.ContainerStatus{pod.Status.ContainerStatuses, pod.Status.InitContainerStatuses} {
		for i := range list {
			if list[i].Name == name {
				return &list[i]
			}
		}
	}
	return nil
}

func podReady(pod *corev1.Pod) bool {
	for _, c := range pod.Status.Conditions {
		if c.Type == corev1.PodReady {
			return c.Status == corev1.ConditionTrue
		}
	}
	return false
}

// podStatus and jobStatus print the status of what was waited for.
type podStatus struct{ pod *corev1.Pod }

func (p podStatus) String() string {
	if p.pod == nil {
		return "(the pod was never seen)"
	}
	return indented(p.pod.Status)
}

type jobStatus struct{ job *batchv1.Job }

func (j jobStatus) String() string {
	if j.job == nil {
		return "(the job was never seen)"
	}
	return indented(j.job.Status)
}

func indented(v any) string {
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err.Error()
	}
	return string(text)
}
