package lifecycle

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	. "github.com/onsi/gomega"

	"sidecar-node/e2e/framework"
	"sidecar-node/e2e/journal"
)

// SidecarIsNoEarlierVictim wants the OOM killer to find the proxy of the pod no more
// attractive than its app, whose memory request is larger.
func SidecarIsNoEarlierVictim(ctx context.Context, s *framework.Space, manifest string) {
	apply(ctx, s, manifest)
	await(ctx, s, s.Config.Intervals.Start.Duration, journal.Start("app"))
	pod, err := s.Pod(ctx, "pod")
	Expect(err).To(Succeed())
	node := NodeNamed(ctx, s, pod.Spec.NodeName)
	app := oomScoreAdjust(ctx, s, node, "app")
	Expect(app).To(BeNumerically("<", 1000), "with the score of a pod without requests this proves nothing")
	Expect(oomScoreAdjust(ctx, s, node, "proxy")).To(BeNumerically("<=", app), "the proxy must not be killed before the app")
}

// oomScoreAdjust returns what the runtime was told about a running container of the
// space: from -1000, never killed, to 1000.
func oomScoreAdjust(ctx context.Context, s *framework.Space, node *framework.Node, container string) int {
	out, err := node.Shell(ctx, fmt.Sprintf("crictl inspect --output go-template --template '{{.info.runtimeSpec.process.oomScoreAdj}}' "+
		"$(crictl ps --quiet --label io.kubernetes.pod.namespace=%s --label io.kubernetes.container.name=%s)", s.Namespace, container))
	ExpectWithOffset(1, err).To(Succeed())
	score, err := strconv.Atoi(strings.TrimSpace(out))
	ExpectWithOffset(1, err).To(Succeed())
	return score
}
