package lifecycle

import (
	"context"
	"fmt"
	"slices"

	"github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"

	"sidecar-node/e2e/framework"
	"sidecar-node/e2e/journal"
)

// KillKubelet kills the kubelet without notice and returns when the next one works.
func KillKubelet(ctx context.Context, node *framework.Node) {
	on(ctx, node, "systemctl kill --signal=KILL kubelet; sleep 2; systemctl start kubelet; "+framework.KubeletHealthy)
}

// StopKubelet stops the kubelet. Whatever happens, it runs again after the spec.
func StopKubelet(ctx context.Context, node *framework.Node) {
	afterwards(node, "systemctl start kubelet")
	on(ctx, node, "systemctl stop kubelet")
}

// StartKubelet starts the kubelet and returns when it works.
func StartKubelet(ctx context.Context, node *framework.Node) {
	on(ctx, node, "systemctl start kubelet; "+framework.KubeletHealthy)
}

// KillContainerd kills containerd without notice and returns when the next one works.
func KillContainerd(ctx context.Context, node *framework.Node) {
	on(ctx, node, "systemctl kill --signal=KILL --kill-who=main containerd; sleep 1; systemctl start containerd; for i in $(seq 100); do crictl info >/dev/null 2>&1 && exit 0; sleep 0.2; done; exit 1")
}

// StopSandbox stops the sandbox of the pod named "pod" under its containers.
func StopSandbox(ctx context.Context, s *framework.Space, nodes []*framework.Node) {
	stopped := 0
	for _, node := range nodes {
		ids, err := node.Sandboxes(ctx, s.Namespace, "pod")
		Expect(err).To(Succeed())
		for _, id := range ids {
			on(ctx, node, "crictl stopp "+id)
			stopped++
		}
	}
	Expect(stopped).To(Equal(1), "the pod must have one sandbox")
}

// afterwards runs a script on the node after the spec, whatever has become of it: the
// context of a spec that is interrupted or too late is of no use then.
func afterwards(node *framework.Node, script string) {
	ginkgo.DeferCleanup(func(ctx ginkgo.SpecContext) error {
		_, err := node.Shell(ctx, script)
		return err
	})
}

// readyAfterwards waits after the spec until the cluster is ready again. What runs
// afterwards goes in the reverse order, so it has to be called before afterwards.
func readyAfterwards(s *framework.Space) {
	ginkgo.DeferCleanup(func(ctx ginkgo.SpecContext) error { return s.AwaitReady(ctx) })
}

// on runs a script on the node.
func on(ctx context.Context, node *framework.Node, script string) {
	_, err := node.Shell(ctx, script)
	ExpectWithOffset(2, err).To(Succeed())
}

// HeldAgain is Held for a pod that loses its sandbox: the sidecar runs once more,
// and the app once.
func HeldAgain(name, manifest string) Stage {
	st := Held(name, manifest)
	st.Judge = func(ctx context.Context, s *framework.Space) {
		await(ctx, s, s.Config.Intervals.Start.Duration, journal.Start("proxy").Run(2))
		neverStarts(ctx, s, "app")
		Expect(s.Touch(ctx, "open")).To(Succeed())
		tl := await(ctx, s, s.Config.Intervals.Start.Duration, journal.Start("app"))
		Expect(tl.ReadyBefore("proxy", "app")).To(Succeed())
		Expect(tl.RunsOnce("app")).To(Succeed())
	}
	return st
}

// Fails wants the pod to have failed, and each container to have run once.
func Fails(ctx context.Context, s *framework.Space, containers ...string) {
	_, err := s.AwaitPhase(ctx, "pod", s.Config.Intervals.Stop.Duration, corev1.PodFailed)
	Expect(err).To(Succeed())
	tl, err := s.Journal(ctx)
	Expect(err).To(Succeed())
	for _, c := range containers {
		Expect(tl.RunsOnce(c)).To(Succeed())
	}
}

// OpensWithoutAPIServer stops the API server while the app of the pod waits. The
// sidecar becomes ready and the app starts before the API server is back.
func OpensWithoutAPIServer(ctx context.Context, s *framework.Space, node *framework.Node, manifest string) {
	const live, away = "/etc/kubernetes/manifests/kube-apiserver.yaml", "/etc/kubernetes/kube-apiserver.yaml"
	apply(ctx, s, manifest)
	await(ctx, s, s.Config.Intervals.Start.Duration, journal.Start("proxy"))
	const back = "if [ -e " + away + " ]; then mv " + away + " " + live + "; fi"
	readyAfterwards(s)
	afterwards(node, back)
	on(ctx, node, "mv "+live+" "+away+"; for i in $(seq 300); do [ -z \"$(crictl ps -q --name '^kube-apiserver$')\" ] && exit 0; sleep 0.2; done; exit 1")
	_, apiErr := s.Version()
	openErr := node.TouchHere(ctx, s, "open")
	startErr := node.AwaitHere(ctx, s, s.Config.Intervals.Start.Duration, journal.Start("app"))
	on(ctx, node, back)
	Expect(s.AwaitReady(ctx)).To(Succeed())
	Expect(apiErr).To(HaveOccurred(), "the API server must be down for this to prove anything")
	Expect(openErr).To(Succeed())
	Expect(startErr).To(Succeed())
	tl, err := s.Journal(ctx)
	Expect(err).To(Succeed())
	Expect(tl.ReadyBefore("proxy", "app")).To(Succeed())
	Expect(tl.RunsOnce("app")).To(Succeed())
}

// withKubeletConfig restarts the kubelet with its configuration changed by a script of
// the shell, which finds the file in $config, and restarts it once more with the old
// one when do has returned. Before and after, the node is ready.
func withKubeletConfig(ctx context.Context, s *framework.Space, node *framework.Node, change string, do func()) {
	const file = "config=/var/lib/kubelet/config.yaml; "
	const restart = "systemctl restart kubelet; " + framework.KubeletHealthy
	const restore = file + "if [ -e $config.before ]; then mv $config.before $config; " + restart + "; fi"
	readyAfterwards(s)
	afterwards(node, restore)
	on(ctx, node, file+"cp $config $config.before; "+change+"; "+restart)
	Expect(s.AwaitReady(ctx)).To(Succeed())
	do()
	on(ctx, node, restore)
	Expect(s.AwaitReady(ctx)).To(Succeed())
}

// StopsWithItsNode tells the kubelet that its node is shut down, as logind does, and
// wants the pod to be stopped in order. In the end the node is as it was before.
func StopsWithItsNode(ctx context.Context, s *framework.Space, node *framework.Node, manifest string) {
	const announce = "busctl --system emit /org/freedesktop/login1 org.freedesktop.login1.Manager PrepareForShutdown b "
	const grace = "sed -i 's/^shutdownGracePeriod: .*/shutdownGracePeriod: 30s/; s/^shutdownGracePeriodCriticalPods: .*/shutdownGracePeriodCriticalPods: 10s/' $config"
	withKubeletConfig(ctx, s, node, grace, func() {
		afterwards(node, announce+"false")
		apply(ctx, s, manifest)
		await(ctx, s, s.Config.Intervals.Start.Duration, journal.Ready("app"), journal.Ready("proxy"))
		on(ctx, node, announce+"true")
		// The reader of journals goes down as well.
		for _, p := range []journal.Point{journal.End("app"), journal.End("proxy")} {
			Expect(node.AwaitHere(ctx, s, s.Config.Intervals.Stop.Duration, p)).To(Succeed())
		}
		tl, err := node.JournalHere(ctx, s)
		Expect(err).To(Succeed())
		judgeEnd(tl)
		on(ctx, node, announce+"false")
	})
}

// IsEvictedSoftly gives the kubelet a soft threshold that is always crossed, and wants
// the pod to be stopped in order. %s in the manifest stands for a priority class, by
// which the pod is the first to go.
func IsEvictedSoftly(ctx context.Context, s *framework.Space, node *framework.Node, manifest string) {
	const threshold = `printf 'evictionSoft: {memory.available: 100Ti}\nevictionSoftGracePeriod: {memory.available: 1s}\nevictionMaxPodGracePeriod: 20\n' >>$config`
	class, remove, err := s.LowestPriority(ctx)
	Expect(err).To(Succeed())
	ginkgo.DeferCleanup(func(ctx ginkgo.SpecContext) error { return remove(ctx) })
	apply(ctx, s, fmt.Sprintf(manifest, class))
	await(ctx, s, s.Config.Intervals.Start.Duration, journal.Ready("app"), journal.Ready("proxy"))
	withKubeletConfig(ctx, s, node, threshold, func() {
		pod, err := s.AwaitPhase(ctx, "pod", s.Config.Intervals.Stop.Duration, corev1.PodFailed)
		Expect(err).To(Succeed())
		Expect(pod.Status.Reason).To(Equal("Evicted"))
	})
	endedInOrder(ctx, s)
}

// NodeNamed returns the node of that name.
func NodeNamed(ctx context.Context, s *framework.Space, name string) *framework.Node {
	ginkgo.GinkgoHelper()
	nodes, err := s.Nodes(ctx)
	Expect(err).To(Succeed())
	i := slices.IndexFunc(nodes, func(n *framework.Node) bool { return n.Name == name })
	Expect(i).To(BeNumerically(">=", 0), "no node %s among %v", name, nodes)
	return nodes[i]
}
