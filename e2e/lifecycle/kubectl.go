package lifecycle

import (
	"context"
	"fmt"
	"strings"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"

	"sidecar-node/e2e/framework"
	"sidecar-node/e2e/journal"
)

// KubectlExplains wants kubectl explain to document the field.
func KubectlExplains(ctx context.Context, s *framework.Space, kubectl string) {
	out, _, err := s.Kubectl(ctx, kubectl, "", "explain", "pod.spec.containers.lifecycle.type")
	Expect(err).To(Succeed())
	Expect(out).To(And(ContainSubstring("FIELD: type <string>"), ContainSubstring("Sidecar"), ContainSubstring("Standard")))
}

// KubectlDiffs wants kubectl diff to show a change of the type.
func KubectlDiffs(ctx context.Context, s *framework.Space, kubectl string, t Template) {
	Expect(s.ApplyAsIs(ctx, t.with(sidecarContainers))).To(Succeed())
	// An exit code of 1 means that there is a difference.
	out, said, err := s.Kubectl(ctx, kubectl, t.with(standardContainers), "diff", "--filename=-")
	Expect(err).To(HaveOccurred(), "there is a difference")
	Expect(err.Error()).To(ContainSubstring("exit status 1"), said)
	Expect(out).To(MatchRegexp(`(?m)^-\s+type: Sidecar$`))
	Expect(out).To(MatchRegexp(`(?m)^\+\s+type: Standard$`))
}

// KubectlKnowsTheApp wants kubectl describe to show the type, and logs and exec to take
// the app container "app" of the pod named "pod" if none is named.
func KubectlKnowsTheApp(ctx context.Context, s *framework.Space, kubectl, manifest string) {
	apply(ctx, s, manifest)
	await(ctx, s, s.Config.Intervals.Start.Duration, journal.Ready("app"), journal.Ready("proxy"))
	_, err := s.AwaitPod(ctx, "pod", s.Config.Intervals.Start.Duration, "the pod to be ready", ready)
	Expect(err).To(Succeed())
	run := func(args ...string) (string, string) {
		out, said, err := s.Kubectl(ctx, kubectl, "", args...)
		ExpectWithOffset(1, err).To(Succeed())
		return out, said
	}
	out, _ := run("describe", "pod", "pod")
	_, proxy, _ := strings.Cut(out, "\n  proxy:")
	proxy, app, _ := strings.Cut(proxy, "\n  app:")
	Expect(proxy).To(MatchRegexp(`Lifecycle Type:\s+Sidecar`), out)
	Expect(app).NotTo(ContainSubstring("Lifecycle Type"), out)

	out, said := run("logs", "pod")
	Expect(out).To(ContainSubstring(`"container":"app"`))
	Expect(out).NotTo(ContainSubstring(`"container":"proxy"`))
	Expect(said).To(ContainSubstring(`Defaulted container "app"`))
	out, said = run("exec", "pod", "--", "/probe", "hook", "by-hand")
	Expect(out).To(ContainSubstring(`"container":"app"`), said)
	Expect(said).To(ContainSubstring(`Defaulted container "app"`))
	// What comes after the name of a container is given to it.
	out, _ = run("exec", "pod", "--container=proxy", "--", "/probe", "hook", "by-hand")
	Expect(out).To(ContainSubstring(`"container":"proxy"`))
}

func ready(pod *corev1.Pod) error {
	for _, c := range pod.Status.ContainerStatuses {
		if !c.Ready {
			return fmt.Errorf("container %s is not ready", c.Name)
		}
	}
	return nil
}
