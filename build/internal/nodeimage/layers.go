package nodeimage

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"

	"github.com/containerd/containerd/v2/core/containers"
	"github.com/containerd/containerd/v2/pkg/namespaces"
	runtimeoci "github.com/containerd/containerd/v2/pkg/oci"
	"github.com/opencontainers/runtime-spec/specs-go"

	"sidecar-node/build/internal/oci"
	"sidecar-node/build/internal/preload"
)

// programs of the node that are components, by their folder in the image.
var programs = map[string][]string{
	"usr/local/bin":  {"containerd", "containerd-shim-runc-v2", "crictl", "ctr"},
	"usr/local/sbin": {"runc"},
	"opt/cni/bin":    {"host-local", "loopback", "portmap", "ptp"},
}

// enabled units start at boot; kind brings their files.
var enabled = []string{"containerd.service", "kubelet.service", "undo-mount-hacks.service"}

// configure adds kind's files for a node, our own over them, and what a build
// in a container would make by running commands there.
func configure(t *oci.Tree, kindFiles, ourFiles, manifests, pause string) error {
	if err := t.Folder("", kindFiles); err != nil {
		return err
	}
	// The files of a module have lost their run bits.
	for _, dir := range []string{"usr/local/bin", "kind/bin"} {
		if err := executable(t, kindFiles, dir); err != nil {
			return err
		}
	}
	// Only images with a snapshotter that we do not ship would need these.
	for _, name := range []string{"etc/systemd/system/containerd-fuse-overlayfs.service", "usr/local/bin/clean-install", "LICENSES"} {
		if _, err := t.Remove(name); err != nil {
			return err
		}
	}
	if err := containerdConfig(t, pause); err != nil {
		return err
	}
	if err := t.Folder("", ourFiles); err != nil {
		return err
	}
	if err := t.Folder("kind/manifests", manifests); err != nil {
		return err
	}
	for _, unit := range enabled {
		if !t.Has("etc/systemd/system/" + unit) {
			return fmt.Errorf("kind's files hold no unit %s", unit)
		}
		t.Symlink("etc/systemd/system/multi-user.target.wants/"+unit, "/etc/systemd/system/"+unit)
	}
	// binfmt_misc belongs to the whole kernel, not to the node.
	t.Symlink("etc/systemd/system/systemd-binfmt.service", "/dev/null")
	// With these files as old as /usr, systemd does not rebuild at the first
	// boot what the packages have built already.
	for _, dir := range []string{"etc", "var"} {
		t.Bytes(dir+"/.updated", 0o644, nil)
	}
	t.Dir("etc/kubernetes/manifests", 0o755)
	return baseSpec(t)
}

func executable(t *oci.Tree, kindFiles, dir string) error {
	entries, err := os.ReadDir(filepath.Join(kindFiles, filepath.FromSlash(dir)))
	if err != nil {
		return err
	}
	for _, e := range entries {
		if err := t.File(path.Join(dir, e.Name()), 0o755, filepath.Join(kindFiles, filepath.FromSlash(dir), e.Name())); err != nil {
			return err
		}
	}
	return nil
}

const containerdConfigFile = "etc/containerd/config.toml"

var (
	sandboxImage = regexp.MustCompile(`(?m)^(\s*sandbox_image\s*=\s*)".*"$`)
	// restrictLine is what node-entrypoint and kind's entrypoint replace.
	restrictLine = regexp.MustCompile(`(?m)^\s*restrict_oom_score_adj = false$`)
	fuseProxy    = regexp.MustCompile(`(?m)^\[proxy_plugins\]\n(?:#.*\n)*\[proxy_plugins\."fuse-overlayfs"\]\n(?:[ \t]+.*\n)*`)
)

// containerdConfig makes containerd use the preloaded sandbox image.
func containerdConfig(t *oci.Tree, pause string) error {
	config, err := t.Read(containerdConfigFile)
	if err != nil {
		return err
	}
	for what, pattern := range map[string]*regexp.Regexp{
		"sandbox_image = ...": sandboxImage, "restrict_oom_score_adj = false": restrictLine, `[proxy_plugins."fuse-overlayfs"]`: fuseProxy,
	} {
		if n := len(pattern.FindAll(config, -1)); n != 1 {
			return fmt.Errorf("kind's %s: want one line %q, found %d: this version of kind needs a look", containerdConfigFile, what, n)
		}
	}
	config = sandboxImage.ReplaceAll(config, []byte(`${1}"`+pause+`"`))
	config = fuseProxy.ReplaceAll(config, nil)
	t.Bytes(containerdConfigFile, 0o644, config)
	return nil
}

// baseSpec writes the specification that every container starts from:
// containerd's default, plus kind's hook that hides the host's product files,
// and without limits on open files, so that those of containerd apply.
func baseSpec(t *oci.Tree) error {
	ctx := namespaces.WithNamespace(context.Background(), preload.Namespace)
	spec, err := runtimeoci.GenerateSpec(ctx, nil, &containers.Container{})
	if err != nil {
		return err
	}
	spec.Process.Rlimits = nil
	spec.Hooks = &specs.Hooks{CreateContainer: []specs.Hook{{Path: "/kind/bin/mount-product-files.sh"}}}
	data, err := json.Marshal(spec)
	if err != nil {
		return err
	}
	t.Bytes("etc/containerd/cri-base.json", 0o644, data)
	return nil
}

// stateFolder adds the folder of containerd's state.
func stateFolder(t *oci.Tree) string {
	t.Dir(preload.Root, 0o700)
	return preload.Root
}

// blobs adds those preloaded blobs that keep returns true for.
func blobs(t *oci.Tree, state string, keep func(hex string) bool) error {
	root := stateFolder(t)
	return filepath.WalkDir(preload.Blobs(state), func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !keep(d.Name()) {
			return err
		}
		rel, err := filepath.Rel(state, file)
		if err != nil {
			return err
		}
		return t.File(path.Join(root, filepath.ToSlash(rel)), 0o444, file)
	})
}

// database adds the list of the preloaded images.
func database(t *oci.Tree, state string) error {
	rel, err := filepath.Rel(state, preload.Database(state))
	if err != nil {
		return err
	}
	if _, err := os.Stat(preload.Database(state)); err != nil {
		return errors.Join(errors.New("the preloaded images have no database"), err)
	}
	return t.File(path.Join(stateFolder(t), filepath.ToSlash(rel)), 0o644, preload.Database(state))
}
