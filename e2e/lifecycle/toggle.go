package lifecycle

import (
	"context"
	"fmt"

	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/types"

	"sidecar-node/e2e/framework"
	"sidecar-node/e2e/journal"
)

// setGate returns a script that sets the feature gate of the control plane and waits
// until all components whose setting was another run with it. The kubelet replaces a static
// pod when its file has changed, and must not see half a file.
func setGate(on bool) string {
	return fmt.Sprintf(`
cd /etc/kubernetes/manifests
changed=
for c in kube-controller-manager kube-scheduler kube-apiserver; do
  if grep -q SidecarContainers=%[1]v $c.yaml; then continue; fi
  grep -q SidecarContainers=%[2]v $c.yaml
  crictl ps -q --name "^$c\$" >/run/before-$c
  sed 's/SidecarContainers=%[2]v/SidecarContainers=%[1]v/' $c.yaml >/etc/kubernetes/new
  mv /etc/kubernetes/new $c.yaml
  changed="$changed $c"
done
for c in $changed; do
  for i in $(seq 600); do
    now=$(crictl ps -q --name "^$c\$")
    if [ -n "$now" ] && [ "$now" != "$(cat /run/before-$c)" ]; then continue 2; fi
    sleep 0.2
  done
  exit 1
done`, on, !on)
}

// GateIsToggled turns the gate of the control plane off and on again while objects
// with the field are stored: none of them loses it, new ones do not get it while the
// gate is off, and a Deployment is rolled out once for each change of its template.
func GateIsToggled(ctx context.Context, s *framework.Space, node *framework.Node, all map[string]Template) {
	for _, t := range all {
		Expect(s.ApplyAsIs(ctx, t.with(sidecarContainers))).To(Succeed())
	}
	apply(ctx, s, rolledOut)
	await(ctx, s, s.Config.Intervals.Start.Duration, journal.Ready("proxy"), journal.Start("app"))
	stored := func() {
		for name, t := range all {
			o, err := s.Get(ctx, t.Resource, "it")
			ExpectWithOffset(1, err).To(Succeed())
			ExpectWithOffset(1, t.type2(o)).To(Equal("Sidecar"), name)
		}
	}

	readyAfterwards(s)
	afterwards(node, setGate(true))
	on(ctx, node, setGate(false))
	Expect(s.AwaitReady(ctx)).To(Succeed())
	stored()
	for name, t := range all {
		changed, err := s.Patch(ctx, t.Resource, "it", types.MergePatchType, []byte(`{"metadata":{"labels":{"touched":"yes"}}}`))
		Expect(err).To(Succeed())
		Expect(t.type2(changed)).To(Equal("Sidecar"), name)
	}
	Expect(s.Warnings()).To(BeEmpty())
	Expect(s.ApplyAsIs(ctx, `
apiVersion: v1
kind: PodTemplate
metadata: {name: new}
template:
  metadata: {labels: {app: it}}
  spec: {containers: `+sidecarContainers+`}
`)).To(Succeed())
	Expect(s.Warnings()).To(ContainElement(And(ContainSubstring("template.spec.containers[1].lifecycle.type"), ContainSubstring("SidecarContainers"))))

	// The stored Deployment keeps its type, its new ReplicaSet cannot have one.
	Expect(s.RestartDeployment(ctx, "web")).To(Succeed())
	_, err := s.AwaitRollout(ctx, "web", s.Config.Intervals.Start.Duration)
	Expect(err).To(Succeed())
	Consistently(ctx, func() (int, error) { return s.CountReplicaSets(ctx, "app=web") }).
		WithTimeout(s.Config.Intervals.Settle.Duration).WithPolling(s.Config.Intervals.Poll.Duration).
		Should(Equal(2), "one more ReplicaSet for one rollout")

	on(ctx, node, setGate(true))
	Expect(s.AwaitReady(ctx)).To(Succeed())
	stored()
	Expect(s.RestartDeployment(ctx, "web")).To(Succeed())
	pods, err := s.AwaitRollout(ctx, "web", s.Config.Intervals.Start.Duration)
	Expect(err).To(Succeed())
	tl, err := s.Journal(ctx)
	Expect(err).To(Succeed())
	Expect(pods).To(HaveLen(1))
	Expect(tl.Pod(pods[0]).ReadyBefore("proxy", "app")).To(Succeed(), "the order is back")
}

const rolledOut = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      terminationGracePeriodSeconds: 5
      containers:
      - name: app
      - name: proxy
        args: [--ready-after=1s]
        readinessProbe: {exec: {command: [/probe, ready]}, periodSeconds: 1}
        lifecycle: {type: Sidecar}
`
