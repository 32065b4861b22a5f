package lifecycle

import (
	"context"
	"fmt"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"sidecar-node/e2e/framework"
	"sidecar-node/e2e/journal"
)

// setImage changes the image of a container of the pod named "pod".
func setImage(ctx context.Context, s *framework.Space, container, image string) {
	patch := fmt.Sprintf(`{"spec":{"containers":[{"name":%q,"image":%q}]}}`, container, image)
	_, err := s.Patch(ctx, framework.PodResource, "pod", types.StrategicMergePatchType, []byte(patch))
	ExpectWithOffset(1, err).To(Succeed())
}

// anotherName gives the image of the probe a new name on every node and returns it.
func anotherName(ctx context.Context, s *framework.Space, tag string) string {
	name := "localhost/sidecar-probe:" + s.Namespace + "-" + tag
	nodes, err := s.Nodes(ctx)
	ExpectWithOffset(1, err).To(Succeed())
	for _, node := range nodes {
		afterwards(node, "ctr -n k8s.io images rm "+name)
		ExpectWithOffset(1, node.TagImage(ctx, s.Config.Image, name)).To(Succeed())
	}
	return name
}

// ImageChangesAlone changes the image of the running sidecar: it is restarted with
// the new one, and the app does not notice.
func ImageChangesAlone(ctx context.Context, s *framework.Space, manifest string) {
	image := anotherName(ctx, s, "new")
	apply(ctx, s, manifest)
	await(ctx, s, s.Config.Intervals.Start.Duration, journal.Start("app"))
	setImage(ctx, s, "proxy", image)
	await(ctx, s, s.Config.Intervals.Start.Duration, journal.Start("proxy").Run(2))
	// The status may show any name of the image: both stand for the same bytes.
	pod, err := s.AwaitPod(ctx, "pod", s.Config.Intervals.Start.Duration, "the proxy to run once more", func(pod *corev1.Pod) error {
		if c := framework.Container(pod, "proxy"); c == nil || c.State.Running == nil || c.RestartCount != 1 {
			return fmt.Errorf("it does not yet: %+v", c)
		}
		return nil
	})
	Expect(err).To(Succeed())
	Expect(pod.Status.Phase).To(Equal(corev1.PodRunning))
	tl, err := s.Journal(ctx)
	Expect(err).To(Succeed())
	Expect(tl.RunsOnce("app")).To(Succeed())
	Expect(tl.NeverAskedToStop("app")).To(Succeed())
}

// ImageChangesWhileHeld changes the image of a sidecar for which the app waits: the
// app waits for the new one.
func ImageChangesWhileHeld(ctx context.Context, s *framework.Space, manifest string) {
	image := anotherName(ctx, s, "new")
	apply(ctx, s, manifest)
	await(ctx, s, s.Config.Intervals.Start.Duration, journal.Start("proxy"))
	setImage(ctx, s, "proxy", image)
	await(ctx, s, s.Config.Intervals.Start.Duration, journal.Start("proxy").Run(2))
	neverStarts(ctx, s, "app")
	Expect(s.Touch(ctx, "open")).To(Succeed())
	tl := await(ctx, s, s.Config.Intervals.Start.Duration, journal.Start("app"))
	Expect(tl.Before(journal.Ready("proxy").Run(2), journal.Start("app"))).To(Succeed())
	Expect(tl.RunsOnce("app")).To(Succeed())
}

// ImageChangesWhileStopping changes the image of the sidecar when the app has been
// asked to stop: nothing is restarted any more.
func ImageChangesWhileStopping(ctx context.Context, s *framework.Space, manifest string) {
	image := anotherName(ctx, s, "new")
	apply(ctx, s, manifest)
	await(ctx, s, s.Config.Intervals.Start.Duration, journal.Ready("app"), journal.Ready("proxy"))
	Expect(s.DeletePod(ctx, "pod", -1)).To(Succeed())
	await(ctx, s, s.Config.Intervals.Start.Duration, journal.Term("app"))
	setImage(ctx, s, "proxy", image)
	Expect(s.AwaitPodGone(ctx, "pod", s.Config.Intervals.Stop.Duration)).To(Succeed())
	endedInOrder(ctx, s)
}

// ImageArrivesLate starts a pod of which one sidecar's image is missing: the other
// sidecar starts meanwhile, the app waits for both.
func ImageArrivesLate(ctx context.Context, s *framework.Space, manifest string) {
	image := "localhost/sidecar-probe:" + s.Namespace + "-late"
	apply(ctx, s, fmt.Sprintf(manifest, image))
	await(ctx, s, s.Config.Intervals.Start.Duration, journal.Ready("quick"))
	neverStarts(ctx, s, "app")
	Expect(anotherName(ctx, s, "late")).To(Equal(image))
	tl := await(ctx, s, s.Config.Intervals.Start.Duration, journal.Start("app"))
	Expect(tl.Before(journal.Start("late"), journal.Start("app"))).To(Succeed())
	Expect(tl.RunsOnce("quick")).To(Succeed())
}

// IsResized changes the resources of the running sidecar: no container is restarted.
func IsResized(ctx context.Context, s *framework.Space, manifest string) {
	apply(ctx, s, manifest)
	await(ctx, s, s.Config.Intervals.Start.Duration, journal.Start("app"))
	Expect(s.ResizePod(ctx, "pod", "proxy", "20m")).To(Succeed())
	_, err := s.AwaitPod(ctx, "pod", s.Config.Intervals.Start.Duration, "the resize of the proxy", func(pod *corev1.Pod) error {
		c := framework.Container(pod, "proxy")
		if c == nil || c.Resources == nil || c.Resources.Requests.Cpu().String() != "20m" {
			return fmt.Errorf("its status does not show 20m: %+v", c)
		}
		return nil
	})
	Expect(err).To(Succeed())
	tl, err := s.Journal(ctx)
	Expect(err).To(Succeed())
	for _, c := range []string{"app", "proxy"} {
		Expect(tl.RunsOnce(c)).To(Succeed())
		Expect(tl.NeverAskedToStop(c)).To(Succeed())
	}
}

// DebuggerChangesNothing adds an ephemeral container while the app of a Job waits: it
// does not open the gate, and the Job completes although it goes on.
func DebuggerChangesNothing(ctx context.Context, s *framework.Space, manifest string) {
	apply(ctx, s, manifest)
	await(ctx, s, s.Config.Intervals.Start.Duration, journal.Start("proxy"))
	pods, err := s.Pods(ctx, "job-name=job")
	Expect(err).To(Succeed())
	Expect(pods).To(HaveLen(1))
	Expect(s.AddEphemeralContainer(ctx, pods[0].Name, "debugger")).To(Succeed())
	await(ctx, s, s.Config.Intervals.Start.Duration, journal.Start("debugger"))
	neverStarts(ctx, s, "app")
	Expect(s.Touch(ctx, "open")).To(Succeed())
	await(ctx, s, s.Config.Intervals.Start.Duration, journal.Start("app"))
	_, err = s.AwaitJob(ctx, "job", s.Config.Intervals.Job.Duration, "Complete")
	Expect(err).To(Succeed())
	tl, err := s.Journal(ctx)
	Expect(err).To(Succeed())
	Expect(tl.RunsOnce("app")).To(Succeed())
	Expect(tl.ExitsBeforeStopOf("app", "proxy")).To(Succeed())
	Expect(tl.Has(journal.End("debugger"))).To(Succeed())
}

// RestartsAll lets the app end with a code for which a rule restarts all containers:
// the app waits for the sidecar once more.
func RestartsAll(ctx context.Context, s *framework.Space, manifest string) {
	apply(ctx, s, manifest)
	tl := await(ctx, s, s.Config.Intervals.Start.Duration, journal.Start("app").Run(2))
	Expect(tl.Before(journal.Ready("proxy").Run(2), journal.Start("app").Run(2))).To(Succeed())
	Expect(tl.Before(journal.End("app").Run(1), journal.Start("proxy").Run(2))).To(Succeed())
}

// addStaticPod runs the pod as a static pod of the node, and returns what removes it.
// After the spec it is removed in any case.
func addStaticPod(ctx context.Context, s *framework.Space, node *framework.Node, manifest string) (remove func(context.Context) error) {
	file, err := node.AddStaticPod(ctx, s, manifest)
	afterwards(node, "rm -f "+file)
	ExpectWithOffset(1, err).To(Succeed())
	return func(ctx context.Context) error {
		_, err := node.Shell(ctx, "rm "+file)
		return err
	}
}

// StaticPodKeepsOrder runs the pod as a static pod of a node: it starts in order, and
// stops in order when its file is removed.
func StaticPodKeepsOrder(ctx context.Context, s *framework.Space, manifest string) {
	nodes, err := s.Nodes(ctx)
	Expect(err).To(Succeed())
	node := nodes[0]
	remove := addStaticPod(ctx, s, node, manifest)
	started := node.AwaitHere(ctx, s, s.Config.Intervals.Start.Duration, journal.Start("app"))
	Expect(remove(ctx)).To(Succeed())
	Expect(started).To(Succeed())
	tl := await(ctx, s, s.Config.Intervals.Stop.Duration, journal.End("app"), journal.End("proxy"))
	Expect(tl.ReadyBefore("proxy", "app")).To(Succeed())
	Expect(tl.ExitsBeforeStopOf("app", "proxy")).To(Succeed())
	Expect(tl.RunsOnce("app")).To(Succeed())
	Expect(tl.RunsOnce("proxy")).To(Succeed())
}
