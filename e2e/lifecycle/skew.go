package lifecycle

import (
	"context"
	"fmt"
	"strings"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"

	"sidecar-node/e2e/framework"
)

// IsUnschedulable wants the pod named "pod" to wait for a node, with a reason that
// holds the text.
func IsUnschedulable(ctx context.Context, s *framework.Space, text string) {
	_, err := s.AwaitPod(ctx, "pod", s.Config.Intervals.Start.Duration, "the scheduler to say: "+text, func(pod *corev1.Pod) error {
		return unschedulable(pod, text)
	})
	Expect(err).To(Succeed())
}

func unschedulable(pod *corev1.Pod, text string) error {
	if pod.Spec.NodeName != "" {
		return fmt.Errorf("the pod is on node %s", pod.Spec.NodeName)
	}
	for _, c := range pod.Status.Conditions {
		if c.Type == corev1.PodScheduled && c.Status == corev1.ConditionFalse && strings.Contains(c.Message, text) {
			return nil
		}
	}
	return fmt.Errorf("conditions %+v", pod.Status.Conditions)
}

// IsRefusedByItsNode wants the kubelet to fail the pod named "pod" with the reason and
// a message that holds the text, and no container to have run.
func IsRefusedByItsNode(ctx context.Context, s *framework.Space, reason, text string) {
	pod, err := s.AwaitPhase(ctx, "pod", s.Config.Intervals.Start.Duration, corev1.PodFailed)
	Expect(err).To(Succeed())
	Expect(pod.Status.Reason).To(Equal(reason))
	Expect(pod.Status.Message).To(ContainSubstring(text))
	tl, err := s.Journal(ctx)
	Expect(err).To(Succeed())
	Expect(tl.Records()).To(BeEmpty(), "no container may run")
}

// StaticPodIsRefused puts a static pod named "pod" on the node and wants the kubelet to
// say with which reason it refuses it, and no container to run.
func StaticPodIsRefused(ctx context.Context, s *framework.Space, name, manifest string) {
	addStaticPod(ctx, s, NodeNamed(ctx, s, name), manifest)
	Eventually(ctx, s.Events).WithTimeout(s.Config.Intervals.Start.Duration).WithPolling(s.Config.Intervals.Poll.Duration).
		Should(ContainElement(And(ContainSubstring("PodFeatureUnsupported"), ContainSubstring("SidecarContainers"))))
	tl, err := s.Journal(ctx)
	Expect(err).To(Succeed())
	Expect(tl.Records()).To(BeEmpty(), "no container may run")
}

// RunsWhereItCan wants the pods with the label to run on those workers where the map
// has true, by the value of the node label sidecar-node/kubelet, and to wait for the
// others.
func RunsWhereItCan(ctx context.Context, s *framework.Space, label string, can map[string]bool) {
	want := 0
	for _, c := range can {
		if c {
			want++
		}
	}
	Eventually(ctx, func() error {
		pods, err := s.Pods(ctx, label)
		if err != nil {
			return err
		}
		running, waiting := 0, 0
		for _, pod := range pods {
			if pod.Spec.NodeName == "" {
				if err := unschedulable(&pod, "SidecarContainers"); err != nil {
					return err
				}
				waiting++
				continue
			}
			kubelet, err := s.NodeLabel(ctx, pod.Spec.NodeName, "sidecar-node/kubelet")
			if err != nil {
				return err
			}
			if !can[kubelet] {
				return fmt.Errorf("pod %s runs on a node with kubelet %q", pod.Name, kubelet)
			}
			if pod.Status.Phase == corev1.PodRunning {
				running++
			}
		}
		if running != want || waiting != len(can)-want {
			return fmt.Errorf("%d run and %d wait, want %d and %d", running, waiting, want, len(can)-want)
		}
		return nil
	}).WithTimeout(s.Config.Intervals.Start.Duration).WithPolling(s.Config.Intervals.Poll.Duration).Should(Succeed())
}
