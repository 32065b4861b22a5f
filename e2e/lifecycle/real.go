package lifecycle

import (
	"context"
	"fmt"
	"strings"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"

	"sidecar-node/e2e/framework"
)

// Programs that we have not written keep no journal. Scenarios with them judge what
// such a program is there for: calls that succeed, lines that arrive, a table that is
// there.

// RealImage is the image of the programs that the manifests in examples/real run.
const RealImage = "localhost/sidecar-workloads:v1"

const realImageRemedy = "hack/sidecarctl workloads builds it and says how to load it, " +
	"or leave out the specs that need it, with --labels '!real'"

// RealProgramsAreThere fails unless all nodes have the image of the real programs.
func RealProgramsAreThere(ctx context.Context, s *framework.Space) {
	Expect(s.RequireImage(ctx, RealImage, realImageRemedy)).To(Succeed())
}

// SidecarEndsWell wants the sidecar of the Job's only pod to have ended by itself when
// asked to stop: with the code 0.
func SidecarEndsWell(ctx context.Context, s *framework.Space, job, sidecar string) {
	pods, err := s.Pods(ctx, "job-name="+job)
	Expect(err).To(Succeed())
	Expect(pods).To(HaveLen(1))
	ended := framework.Container(&pods[0], sidecar).State.Terminated
	Expect(ended).NotTo(BeNil(), "sidecar %s", sidecar)
	Expect(ended.ExitCode).To(BeZero(), "sidecar %s: %s", sidecar, ended.Reason)
}

// Delivery is a log that goes to a collector, which prints what it gets.
type Delivery struct {
	// Collector is a label that selects the collector's only pod, and Container the
	// container that prints.
	Collector, Container string
	// Prefix is what the collector puts before the lines of this log.
	Prefix string
	// Lines are all lines of the log.
	Lines []string
}

// LogIsDelivered wants the collector to have every line once, in order.
func LogIsDelivered(ctx context.Context, s *framework.Space, in Delivery) {
	pods, err := s.Pods(ctx, in.Collector)
	Expect(err).To(Succeed())
	Expect(pods).To(HaveLen(1))
	// What is delivered is printed, and in the kubelet's log, a moment later.
	Eventually(ctx, func() error {
		text, err := s.Logs(ctx, pods[0].Name, in.Container)
		if err != nil {
			return err
		}
		return sameLines(text, in.Prefix, in.Lines)
	}).WithTimeout(s.Config.Intervals.Prompt.Duration).WithPolling(s.Config.Intervals.Poll.Duration).Should(Succeed())
}

// sameLines fails unless the lines of text that begin with the prefix are these.
func sameLines(text, prefix string, want []string) error {
	n := 0
	for line := range strings.Lines(text) {
		line, ours := strings.CutPrefix(strings.TrimSuffix(line, "\n"), prefix)
		if !ours {
			continue
		}
		if n == len(want) {
			return fmt.Errorf("after all %d lines there is one more: %q", n, line)
		}
		if line != want[n] {
			return fmt.Errorf("line %d is %q, want %q", n+1, line, want[n])
		}
		n++
	}
	if n < len(want) {
		return fmt.Errorf("%d of %d lines have arrived; the next would be %q", n, len(want), want[n])
	}
	return nil
}

// PodPrints runs the pod named "pod", with the container "it", to its end, and wants
// it to print the text and nothing else.
func PodPrints(ctx context.Context, s *framework.Space, manifest, want string) {
	apply(ctx, s, manifest)
	_, err := s.AwaitPhase(ctx, "pod", s.Config.Intervals.Start.Duration, corev1.PodSucceeded)
	text, logErr := s.Logs(ctx, "pod", "it")
	Expect(err).To(Succeed(), text)
	Expect(logErr).To(Succeed())
	Expect(text).To(Equal(want))
}
