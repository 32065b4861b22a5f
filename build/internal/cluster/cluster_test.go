package cluster

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sidecar-node/build/internal/engine"
)

// fakeEngine puts an engine into PATH that prints what the test wants to be
// seen; what the cluster makes of a real one is tested by make cluster itself.
func fakeEngine(t *testing.T, script string) *Cluster {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "docker"), []byte("#!/bin/sh\n"+script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	t.Setenv("TMPDIR", dir)
	return &Cluster{Name: "c", Image: "sidecar-node", Engine: &engine.Engine{Name: "docker"}, Out: io.Discard, Kubeconfig: filepath.Join(dir, "kubeconfig")}
}

// inspect is an engine with the given nodes, whose newest node image is new.
func inspect(nodes map[string]string) string {
	var b strings.Builder
	b.WriteString("case \"$1 $2\" in\n'image inspect') echo sha256:new;;\n'ps --all') echo")
	for name := range nodes {
		b.WriteString(" " + name)
	}
	b.WriteString(";;\n'container inspect')\n  case \"$5\" in\n")
	for name, line := range nodes {
		b.WriteString("  " + name + ") echo '" + line + "';;\n")
	}
	b.WriteString("  esac;;\nesac\n")
	return b.String()
}

func TestState(t *testing.T) {
	for name, c := range map[string]struct {
		nodes map[string]string
		want  State
	}{
		"no nodes": {nil, Absent},
		"running":  {map[string]string{"c-control-plane": "sha256:new true sidecar-node"}, Current},
		"podman":   {map[string]string{"c-control-plane": "new true docker.io/library/sidecar-node:latest"}, Current},
		"old image": {map[string]string{
			"c-control-plane": "sha256:new true sidecar-node", "c-worker": "sha256:old true sidecar-node:v1.37.2-sidecar.1"}, Outdated},
		"stopped": {map[string]string{
			"c-control-plane": "sha256:old false sidecar-node", "c-worker": "sha256:old true sidecar-node"}, Stopped},
		"balancer": {map[string]string{
			"c-control-plane": "sha256:new true sidecar-node", "c-external-load-balancer": "sha256:x true envoy"}, Current},
	} {
		got, err := fakeEngine(t, inspect(c.nodes)).State(context.Background())
		if err != nil || got != c.want {
			t.Errorf("%s: got %q, %v; want %q", name, got, err, c.want)
		}
	}
}

func TestNodesOfOtherImages(t *testing.T) {
	nodes := inspect(map[string]string{"c-control-plane": "sha256:new true sidecar-node", "c-worker": "sha256:new true sidecar-node-stock"})
	var foreign *ForeignError
	if _, err := fakeEngine(t, nodes).State(context.Background()); !errors.As(err, &foreign) || foreign.Node != "c-worker" {
		t.Errorf("got %v, want a ForeignError that names the node", err)
	}
	c := fakeEngine(t, nodes)
	c.OtherImages = []string{"sidecar-node-stock"}
	if got, err := c.State(context.Background()); err != nil || got != Current {
		t.Errorf("got %q, %v; want %q", got, err, Current)
	}
}

func TestForeignClusterIsLeftAlone(t *testing.T) {
	c := fakeEngine(t, inspect(map[string]string{"c-control-plane": "sha256:x true kindest/node:v1.37.0@sha256:abc"}))
	for name, do := range map[string]func() error{
		"delete": func() error { return c.Delete(context.Background()) },
		"ensure": func() error { _, err := c.Ensure(context.Background()); return err },
	} {
		err := do()
		var foreign *ForeignError
		if !errors.As(err, &foreign) || foreign.Node != "c-control-plane" || !strings.Contains(err.Error(), "kindest/node:v1.37.0") {
			t.Errorf("%s: got %v, want a ForeignError that names node and image", name, err)
		}
	}
}

func TestDeletingAnAbsentClusterRemovesItsKubeconfig(t *testing.T) {
	c := fakeEngine(t, inspect(nil))
	if err := os.WriteFile(c.Kubeconfig, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := c.Delete(context.Background()); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(c.Kubeconfig); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the kubeconfig of a cluster that isn't there was kept: %v", err)
	}
}

func TestEngineFailureIsReported(t *testing.T) {
	c := fakeEngine(t, "echo the daemon went away >&2; exit 1\n")
	if _, err := c.State(context.Background()); err == nil || !strings.Contains(err.Error(), "the daemon went away") {
		t.Errorf("got %v, want the message of the engine", err)
	}
}

func TestOneProcessAtATime(t *testing.T) {
	c := fakeEngine(t, inspect(nil))
	ctx, cancel := context.WithCancel(context.Background())
	err := c.locked(ctx, func() error {
		cancel()
		return c.Delete(ctx)
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("while another works on the cluster, delete must wait; got %v", err)
	}
}

func TestRepository(t *testing.T) {
	for image, want := range map[string]string{
		"sidecar-node": "sidecar-node",
		"localhost/sidecar-node:v1.37.2-sidecar.1":    "sidecar-node",
		"registry.example:5000/sidecar-node@sha256:a": "sidecar-node",
		"sidecar-node-stock:v1.37.2":                  "sidecar-node-stock",
	} {
		if got := repository(image); got != want {
			t.Errorf("%s: got %q, want %q", image, got, want)
		}
	}
}

func TestExplanation(t *testing.T) {
	file := filepath.Join(t.TempDir(), "log")
	const log = `Creating cluster "c" ...
I1130 19:14:27.450254     234 round_trippers.go:632] "Response" verb="POST"
error: unrecognized feature gate: NoSuchGate
k8s.io/kubernetes/cmd/kubeadm/app.Run
	k8s.io/kubernetes/cmd/kubeadm/app/kubeadm.go:48
sigs.k8s.io/kind/pkg/cmd.(*Runner).Run
	sigs.k8s.io/kind/pkg/runner.go:450
main.main
	cmd/kubeadm.go:25
runtime.goexit
	runtime/asm_amd64.s:1771

`
	if err := os.WriteFile(file, []byte(log), 0o644); err != nil {
		t.Fatal(err)
	}
	if got, want := explanation(file, 5), "Creating cluster \"c\" ...\nerror: unrecognized feature gate: NoSuchGate"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := explanation(file, 1); strings.Contains(got, "Creating") {
		t.Errorf("more than the last line: %q", got)
	}
	if got := explanation(file+"x", 2); !strings.Contains(got, "no such file") {
		t.Errorf("got %q, want why it can't be read", got)
	}
}

func TestNodesWithoutAnImage(t *testing.T) {
	images := func(id string) string {
		return `echo '{"images":[{"id":"sha256:other","repoTags":["localhost/other:v1"]},{"id":"sha256:` + id + `","repoTags":["localhost/it:v1"],"pinned":true}]}'`
	}
	// One that was loaded and not pinned, as by an interrupted run.
	unpinned := `echo '{"images":[{"id":"sha256:new","repoTags":["localhost/it:v1"]}]}'`
	c := fakeEngine(t, `case "$1 $2" in
'ps --all') echo c-control-plane c-worker c-worker2 c-worker3 c-external-load-balancer;;
'exec c-control-plane') `+images("new")+`;;
'exec c-worker') `+images("old")+`;;
'exec c-worker2') echo '{"images":[]}';;
'exec c-worker3') `+unpinned+`;;
*) exit 1;;
esac
`)
	got, err := c.nodesWithout(context.Background(), "localhost/it:v1", "new")
	if err != nil || strings.Join(got, " ") != "c-worker c-worker2 c-worker3" {
		t.Errorf("got %q, %v; want the nodes that have none, an older one or one that may be removed", got, err)
	}
	// With the image everywhere nothing is loaded: this engine couldn't.
	c = fakeEngine(t, "case $1 in\nps) echo c-control-plane;;\nexec) "+images("new")+";;\nesac\n")
	if err := c.LoadImage(context.Background(), "none.tar", "localhost/it:v1", "new"); err != nil {
		t.Error(err)
	}
}
