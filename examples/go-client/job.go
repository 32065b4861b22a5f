package main

import (
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	batchapply "k8s.io/client-go/applyconfigurations/batch/v1"
	coreapply "k8s.io/client-go/applyconfigurations/core/v1"
)

const image = "localhost/sidecar-probe:v1"

// typedJob is a Job with a sidecar, to be created.
func typedJob(name string) *batchv1.Job {
	sidecar := corev1.LifecycleTypeSidecar
	return &batchv1.Job{
		TypeMeta:   metav1.TypeMeta{APIVersion: "batch/v1", Kind: "Job"},
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: batchv1.JobSpec{Template: corev1.PodTemplateSpec{Spec: corev1.PodSpec{
			RestartPolicy: corev1.RestartPolicyNever,
			Containers: []corev1.Container{
				{Name: "app", Image: image, Args: []string{"run", "--exit-after=2s"}},
				{Name: "proxy", Image: image, Args: []string{"run"}, Lifecycle: &corev1.Lifecycle{Type: &sidecar}},
			},
		}}},
	}
}

// appliedJob is the same Job, to be applied on the server.
func appliedJob(name, namespace string) *batchapply.JobApplyConfiguration {
	return batchapply.Job(name, namespace).WithSpec(batchapply.JobSpec().WithTemplate(
		coreapply.PodTemplateSpec().WithSpec(coreapply.PodSpec().
			WithRestartPolicy(corev1.RestartPolicyNever).
			WithContainers(
				coreapply.Container().WithName("app").WithImage(image).WithArgs("run", "--exit-after=2s"),
				coreapply.Container().WithName("proxy").WithImage(image).WithArgs("run").
					WithLifecycle(coreapply.Lifecycle().WithType(corev1.LifecycleTypeSidecar)),
			))))
}
