package mutant

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"
)

func TestTheBinaryIsMountedOverThatOfTheStaticPod(t *testing.T) {
	const manifest = `
apiVersion: v1
kind: Pod
metadata: {name: kube-scheduler, namespace: kube-system}
spec:
  containers:
  - name: kube-scheduler
    command: [kube-scheduler, --leader-elect=true]
    volumeMounts: [{name: config, mountPath: /etc/kubernetes/scheduler.conf}]
  volumes: [{name: config, hostPath: {path: /etc/kubernetes/scheduler.conf}}]
`
	out, err := mounted([]byte(manifest), "kube-scheduler", "/var/lib/other", "abc")
	if err != nil {
		t.Fatal(err)
	}
	var pod corev1.Pod
	if err := yaml.UnmarshalStrict(out, &pod); err != nil {
		t.Fatal(err)
	}
	c := pod.Spec.Containers[0]
	if len(c.VolumeMounts) != 2 || len(pod.Spec.Volumes) != 2 || c.VolumeMounts[1].MountPath != "/usr/local/bin/kube-scheduler" ||
		c.VolumeMounts[1].Name != pod.Spec.Volumes[1].Name || pod.Spec.Volumes[1].HostPath.Path != "/var/lib/other" {
		t.Errorf("got\n%s", out)
	}
	if len(c.Command) != 2 || pod.Annotations[sumAnnotation] != "abc" {
		t.Errorf("got\n%s", out)
	}
	if _, err := mounted([]byte("spec: {}"), "kube-scheduler", "/f", "abc"); err == nil || !strings.Contains(err.Error(), "0 containers") {
		t.Errorf("got %v", err)
	}
}
