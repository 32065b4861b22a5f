package engine

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"sidecar-node/build/internal/host"
)

// onlyPath makes PATH a folder with the given shell scripts and nothing else.
func onlyPath(t *testing.T, scripts map[string]string) {
	t.Helper()
	dir := t.TempDir()
	for name, body := range scripts {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+body+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", dir)
	t.Setenv(ProviderVariable, "")
}

const (
	deadClient  = `echo "Cannot connect to the Docker daemon" >&2; exit 1`
	liveDocker  = `echo 27.0.1`
	livePodman  = `echo 5.2.0`
	emptyClient = `echo`
)

func TestFindSkipsClientWithoutEngine(t *testing.T) {
	onlyPath(t, map[string]string{"docker": deadClient, "podman": livePodman})
	e, err := Find(context.Background())
	if err != nil || e.Name != "podman" || e.Version != "5.2.0" {
		t.Fatalf("got %+v, %v; want podman 5.2.0", e, err)
	}
	if env := e.Environ(); env[len(env)-1] != "KIND_EXPERIMENTAL_PROVIDER=podman" {
		t.Errorf("environment for kind ends with %q", env[len(env)-1])
	}
}

func TestFindPrefersDocker(t *testing.T) {
	onlyPath(t, map[string]string{"docker": liveDocker})
	e, err := Find(context.Background())
	if err != nil || e.Name != "docker" || e.Version != "27.0.1" {
		t.Fatalf("got %+v, %v; want docker 27.0.1", e, err)
	}
}

func TestFindObeysTheUser(t *testing.T) {
	onlyPath(t, map[string]string{"docker": liveDocker, "podman": livePodman})
	t.Setenv(ProviderVariable, "podman")
	e, err := Find(context.Background())
	if err != nil || e.Name != "podman" {
		t.Fatalf("got %+v, %v; want podman", e, err)
	}
	t.Setenv(ProviderVariable, "rocket")
	if _, err := Find(context.Background()); err == nil || !strings.Contains(err.Error(), `"rocket"`) {
		t.Errorf("got %v, want an error that names the unknown engine", err)
	}
}

func TestNoEngineNamesEveryAttempt(t *testing.T) {
	onlyPath(t, map[string]string{"docker": deadClient})
	_, err := Find(context.Background())
	var none *NotFoundError
	if !errors.As(err, &none) || len(none.Attempts) != 2 {
		t.Fatalf("got %v, want a NotFoundError with two attempts", err)
	}
	for _, want := range []string{"Cannot connect to the Docker daemon", "podman: the command isn't in PATH", "make setup"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("error lacks %q:\n%v", want, err)
		}
	}
	onlyPath(t, map[string]string{"docker": emptyClient})
	if _, err := Find(context.Background()); !errors.As(err, &none) {
		t.Errorf("a client that prints no version was chosen: %v", err)
	}
}

func TestPodmanConfig(t *testing.T) {
	const allButSysResource = host.Capabilities(0x1fffeffffff)
	rich := host.Facts{Root: true, Capabilities: 0x1ffffffffff, Cgroup: host.CgroupV2, Limits: host.Limits{OpenFiles: 1024, Processes: 1024}}
	if got := PodmanConfig(rich); got != "" {
		t.Errorf("a host that may raise limits gets\n%s", got)
	}
	rootless := rich
	rootless.Root, rootless.Capabilities = false, 0
	if got := PodmanConfig(rootless); got != "" {
		t.Errorf("an ordinary user gets\n%s", got)
	}
	high := host.Facts{Root: true, Capabilities: allButSysResource, Cgroup: host.CgroupV2, Limits: host.Limits{OpenFiles: podmanLimit, Processes: host.Unlimited, PIDs: 4 * podmanLimit}}
	if got := PodmanConfig(high); got != "" {
		t.Errorf("limits high enough, but got\n%s", got)
	}
	poor := host.Facts{Root: true, Capabilities: allButSysResource, Cgroup: host.CgroupHybrid, Limits: host.Limits{OpenFiles: 20000, Processes: 96365, PIDs: 32768}}
	got := PodmanConfig(poor)
	for _, want := range []string{`default_ulimits = ["nofile=20000:20000", "nproc=32768:32768"]`, `runtime = "runc"`} {
		if !strings.Contains(got, want) {
			t.Errorf("a poor host lacks %s in\n%s", want, got)
		}
	}
}

func TestWritePodmanConfig(t *testing.T) {
	file := filepath.Join(t.TempDir(), "d", "50-sidecar-node.conf")
	if ok, err := PodmanConfigured(file, "x"); ok || err != nil {
		t.Fatalf("before: %v, %v", ok, err)
	}
	if err := WritePodmanConfig(file, "x"); err != nil {
		t.Fatal(err)
	}
	if ok, err := PodmanConfigured(file, "x"); !ok || err != nil {
		t.Errorf("after: %v, %v", ok, err)
	}
	if ok, err := PodmanConfigured(file, "y"); ok || err != nil {
		t.Errorf("other content: %v, %v", ok, err)
	}
	if ok, err := PodmanConfigured(filepath.Join(file, "none"), ""); !ok || err != nil {
		t.Errorf("nothing needed: %v, %v", ok, err)
	}
}

// TestRealEngine uses the engine of this host, if it has one.
func TestRealEngine(t *testing.T) {
	ctx := context.Background()
	e, err := Find(ctx)
	var none *NotFoundError
	if errors.As(err, &none) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, ref := range []string{selfCheckImage, "sha256:" + strings.Repeat("0", 64)} {
		if id, err := e.ImageID(ctx, ref); id != "" || err != nil {
			t.Errorf("image %s: got %q, %v; want none", ref, id, err)
		}
		if err := e.RemoveImage(ctx, ref); err != nil {
			t.Errorf("removing absent image %s: %v", ref, err)
		}
	}
	if id, err := e.ContainerImageID(ctx, "sidecar-node-no-such-container"); id != "" || err != nil {
		t.Errorf("absent container: got %q, %v", id, err)
	}
	if err := e.Load(ctx, "/no/such/archive.tar"); err == nil || !strings.Contains(err.Error(), "/no/such/archive.tar") {
		t.Errorf("loading an absent archive: %v", err)
	}
	program := filepath.Join(t.TempDir(), "check")
	build := exec.Command("go", "build", "-o", program, "./testdata/check")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if err := e.tryPrivileged(ctx, program); err != nil {
		t.Skip("this host can't run nodes: ", err)
	}
	if id, err := e.ImageID(ctx, selfCheckImage); id != "" || err != nil {
		t.Errorf("the check left its image behind: %q, %v", id, err)
	}
}
