package mutant

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"

	"sidecar-node/e2e/framework"
)

func manifestFile(component string) string { return "/etc/kubernetes/manifests/" + component + ".yaml" }

// aside is where the manifest is kept, out of the kubelet's sight.
func aside(component string) string { return "/etc/kubernetes/" + component + ".yaml.unmutated" }

// binary is where the other binary lies on the node.
func binary(component string) string { return "/var/lib/sidecar-mutants/" + component }

// sumAnnotation makes the pod another one for each binary, so that the kubelet replaces
// it.
const sumAnnotation = "sidecar-node/sha256"

// mounted returns the manifest of a static pod with the file of the node mounted over
// the binary that its first container runs.
func mounted(manifest []byte, component, file, sum string) ([]byte, error) {
	var pod corev1.Pod
	if err := yaml.UnmarshalStrict(manifest, &pod); err != nil {
		return nil, err
	}
	if len(pod.Spec.Containers) != 1 {
		return nil, fmt.Errorf("the pod has %d containers, want one", len(pod.Spec.Containers))
	}
	const volume = "mutant"
	kind := corev1.HostPathFile
	pod.Spec.Volumes = append(pod.Spec.Volumes, corev1.Volume{Name: volume, VolumeSource: corev1.VolumeSource{
		HostPath: &corev1.HostPathVolumeSource{Path: file, Type: &kind},
	}})
	c := &pod.Spec.Containers[0]
	c.VolumeMounts = append(c.VolumeMounts, corev1.VolumeMount{Name: volume, MountPath: "/usr/local/bin/" + component, ReadOnly: true})
	if pod.Annotations == nil {
		pod.Annotations = map[string]string{}
	}
	pod.Annotations[sumAnnotation] = sum
	return yaml.Marshal(pod)
}

func putStaticPod(ctx context.Context, node *framework.Node, component, file, sum string) error {
	live, kept := manifestFile(component), aside(component)
	own, err := node.Shell(ctx, fmt.Sprintf("[ -e %[2]s ] || { cp -p %[1]s %[2]s.new && mv %[2]s.new %[2]s; }; cat %[2]s", live, kept))
	if err != nil {
		return err
	}
	manifest, err := mounted([]byte(own), component, binary(component), sum)
	if err != nil {
		return fmt.Errorf("%s: %w", live, err)
	}
	if _, err := node.Shell(ctx, "mkdir -p /var/lib/sidecar-mutants"); err != nil {
		return err
	}
	if err := errors.Join(
		write(ctx, node, file, binary(component)),
		node.WriteFile(ctx, live, 0o600, bytes.NewReader(manifest)),
	); err != nil {
		return err
	}
	if err := awaitBinary(ctx, node, component, "= "+sum); err != nil {
		return err
	}
	return forgetCrashes(ctx, node, component)
}

func restoreStaticPod(ctx context.Context, node *framework.Node, component string) error {
	out, err := node.Shell(ctx, fmt.Sprintf("if [ -e %[1]s ]; then mv %[1]s %[2]s; sha256sum %[3]s | cut -d' ' -f1; fi", aside(component), manifestFile(component), binary(component)))
	if err != nil || out == "" {
		return err
	}
	if err := awaitBinary(ctx, node, component, "!= "+strings.TrimSpace(out)); err != nil {
		return err
	}
	if _, err = node.Shell(ctx, "rm -f "+binary(component)); err != nil {
		return err
	}
	return forgetCrashes(ctx, node, component)
}

// forgetCrashes has the node start at once what has ended because the API server was
// away: a kubelet that has just been started remembers no back-off, which grows to
// minutes when one API server after another is replaced.
func forgetCrashes(ctx context.Context, node *framework.Node, component string) error {
	if component != "kube-apiserver" {
		return nil
	}
	return restartKubelet(ctx, node)
}

// awaitBinary waits until the component runs from a binary whose hash is as test(1)
// wants it, or is not there yet.
func awaitBinary(ctx context.Context, node *framework.Node, component, want string) error {
	const script = `
for i in $(seq 240); do
  id=$(crictl ps --quiet --state running --name '^%[1]s$' | head -n 1)
  if [ -n "$id" ]; then
    pid=$(crictl inspect --output go-template --template '{{.info.pid}}' "$id" 2>/dev/null || true)
    sum=$(sha256sum "/proc/$pid/exe" 2>/dev/null | cut -d' ' -f1)
    if [ -n "$sum" ] && [ "$sum" %[2]s ]; then exit 0; fi
  fi
  sleep 0.5
done
exit 1`
	_, err := node.Shell(ctx, fmt.Sprintf(script, component, want))
	return err
}
