package nodeimage

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sidecar-node/build/internal/component"
	"sidecar-node/build/internal/layout"
	"sidecar-node/build/internal/oci"
)

func repo(t *testing.T) layout.Layout {
	t.Helper()
	l, err := layout.Find(".")
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestBudget(t *testing.T) {
	file := filepath.Join(t.TempDir(), "budget.txt")
	if err := os.WriteFile(file, []byte("# comment\na 1\nb 0.5\ntotal 1.2\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	b, err := ReadBudget(file)
	if err != nil {
		t.Fatal(err)
	}
	kib := int64(1 << 10)
	for _, c := range []struct {
		a, b int64
		more string
		want string
	}{
		{a: 600 * kib, b: 400 * kib},
		{a: 1024 * kib, b: 512 * kib, want: "total is 1.5 MiB, limit 1.2 MiB"},
		{a: 1025 * kib, b: 1 * kib, want: "a is 1.0 MiB, limit 1.0 MiB"},
		{more: "c", want: "c has no limit"},
	} {
		layers := []Size{{Name: "a", Compressed: c.a}, {Name: "b", Compressed: c.b}}
		if c.more != "" {
			layers = append(layers, Size{Name: c.more})
		}
		err := b.Check(layers)
		if (c.want == "") != (err == nil) || (err != nil && !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%+v: got %v, want %q", c, err, c.want)
		}
	}
	for text, want := range map[string]string{"a": "want a name and a number", "a x": "want a number", "a 1\na 2": "a is there twice", "a -1": "want a number"} {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadBudget(file); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %q", text, err, want)
		}
	}
}

func TestDescribeRefusesUnknownImages(t *testing.T) {
	all, err := describe([]string{"registry.example/etcd:3.7.0-0", "registry.example/coredns/coredns:v1.14.6"}, "v0.0.30")
	if err != nil {
		t.Fatal(err)
	}
	if all["registry.example/coredns/coredns:v1.14.6"].binary != "coredns" || all["localhost/sidecar-probe:v1"].binary != "probe" {
		t.Errorf("got %v", all)
	}
	_, err = describe([]string{"registry.example/kube-dns:1"}, "v0.0.30")
	if err == nil || !strings.Contains(err.Error(), "registry.example/kube-dns:1") || !strings.Contains(err.Error(), "coredns, etcd,") {
		t.Errorf("got %v", err)
	}
}

func TestManifestsNameOnlyPreloadedImages(t *testing.T) {
	l := repo(t)
	version, err := (&component.Builder{Root: l.Path("images", "components")}).Version(component.Named("local-path-provisioner"))
	if err != nil {
		t.Fatal(err)
	}
	all, err := describe(nil, version)
	if err != nil {
		t.Fatal(err)
	}
	manifests := l.Path("images", "node", "manifests")
	if err := checkManifests(manifests, all); err != nil {
		t.Error(err)
	}
	for _, ref := range []string{"localhost/local-path-helper:v1", "localhost/podnetwork:v1"} {
		less := map[string]container{}
		for k, v := range all {
			if k != ref {
				less[k] = v
			}
		}
		if err := checkManifests(manifests, less); err == nil || !strings.Contains(err.Error(), ref) {
			t.Errorf("without %s: got %v", ref, err)
		}
	}
}

// The pinned version of kind must have what configure changes.
func TestConfigureKindsFiles(t *testing.T) {
	l := repo(t)
	kind, err := KindFiles(context.Background(), l.Root)
	if err != nil {
		t.Fatal(err)
	}
	tree := oci.NewTree()
	if err := configure(tree, kind, l.Path("images", "node", "files"), l.Path("images", "node", "manifests"), "registry.example/pause:9"); err != nil {
		t.Fatal(err)
	}
	config, err := tree.Read("etc/containerd/config.toml")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(config), `sandbox_image = "registry.example/pause:9"`) || strings.Contains(string(config), "fuse-overlayfs.sock") {
		t.Errorf("containerd's configuration is\n%s", config)
	}
	// node-entrypoint runs kind's entrypoint and replaces this line.
	entrypoint, err := tree.Read("usr/local/bin/node-entrypoint")
	if err != nil || !strings.Contains(string(entrypoint), "s/restrict_oom_score_adj = false/") || !strings.Contains(string(entrypoint), "/usr/local/bin/entrypoint") {
		t.Errorf("node-entrypoint: %v\n%s", err, entrypoint)
	}
	for _, name := range []string{"usr/local/bin/entrypoint", "kind/manifests/default-cni.yaml", "kind/manifests/default-storage.yaml",
		"etc/systemd/system/multi-user.target.wants/kubelet.service", "etc/systemd/system/kubelet.service.d/10-kubeadm.conf"} {
		if !tree.Has(name) {
			t.Errorf("no %s", name)
		}
	}
	var spec struct {
		Process struct{ Rlimits []any }
		Hooks   struct {
			CreateContainer []struct{ Path string }
		}
	}
	data, err := tree.Read("etc/containerd/cri-base.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &spec); err != nil {
		t.Fatal(err)
	}
	if spec.Process.Rlimits != nil || len(spec.Hooks.CreateContainer) != 1 || !tree.Has(spec.Hooks.CreateContainer[0].Path) {
		t.Errorf("the base specification has limits %v and hooks %v", spec.Process.Rlimits, spec.Hooks)
	}
}

func TestConfigureRefusesAnotherKind(t *testing.T) {
	tree := oci.NewTree()
	tree.Bytes(containerdConfigFile, 0o644, []byte("version = 4\n"))
	if err := containerdConfig(tree, "pause"); err == nil || !strings.Contains(err.Error(), "this version of kind needs a look") {
		t.Errorf("got %v", err)
	}
}

func TestWantedNeedsPause(t *testing.T) {
	kubeadm := filepath.Join(t.TempDir(), "kubeadm")
	for script, want := range map[string]string{
		"echo registry.example/etcd:1":            "want a pause image",
		"echo cannot read the version >&2; false": "cannot read the version",
	} {
		if err := os.WriteFile(kubeadm, []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		if _, err := wanted(context.Background(), kubeadm, "v1.37.2"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}
