// Package nodeimage puts the node image together from a Debian userspace, the
// components, preloaded container images and the Kubernetes binaries.
package nodeimage

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"sidecar-node/build/internal/component"
	"sidecar-node/build/internal/layout"
	"sidecar-node/build/internal/oci"
	"sidecar-node/build/internal/preload"
)

// Input is what a node image is made from.
type Input struct {
	layout.Layout
	// Variant says which one.
	Variant layout.Variant
	// GitVersion is what the Kubernetes binaries report as their version.
	GitVersion string
	// Kubernetes is the folder with the Kubernetes binaries.
	Kubernetes string
	// Components is where the other binaries are.
	Components *component.Builder
	// NodeTree and ToolsTree are the tar files of the Debian trees.
	NodeTree, ToolsTree string
	// KindFiles is the folder with kind's files for a node.
	KindFiles string
}

// Result is a finished node image.
type Result struct {
	v1.Image
	// Layers lists the layers, lowest first.
	Layers []Size
	// Preloaded lists the names of the images inside.
	Preloaded []string
}

// Build makes the image. Layers whose content is as before are not made again.
func Build(ctx context.Context, in Input) (*Result, error) {
	d := &digests{}
	listed, err := wanted(ctx, filepath.Join(in.Kubernetes, "kubeadm"), in.GitVersion)
	if err != nil {
		return nil, err
	}
	localPath, err := in.Components.Version(component.Named("local-path-provisioner"))
	if err != nil {
		return nil, err
	}
	containers, err := describe(listed, localPath)
	if err != nil {
		return nil, err
	}
	pause := listed[slices.IndexFunc(listed, func(ref string) bool { return strings.Contains(ref, "/pause:") })]
	if err := checkManifests(in.Path("images", "node", "manifests"), containers); err != nil {
		return nil, err
	}
	state, fromTree, err := in.preload(ctx, d, containers)
	if err != nil {
		return nil, err
	}
	layers, err := in.layers(d, state, fromTree, pause)
	if err != nil {
		return nil, err
	}
	result := &Result{Preloaded: slices.Sorted(maps.Keys(containers))}
	var stack []v1.Layer
	for _, l := range layers {
		size, err := l.Size()
		if err != nil {
			return nil, err
		}
		result.Layers = append(result.Layers, Size{Name: l.name, Compressed: size, Unpacked: l.Unpacked()})
		stack = append(stack, l.Layer)
	}
	result.Image, err = oci.Image(v1.Config{
		// systemd looks at the variable to learn that it runs in a container,
		// and stops cleanly at this signal only.
		Env:        []string{searchPath, "container=docker"},
		Entrypoint: []string{"/usr/local/bin/node-entrypoint", "/usr/sbin/init"},
		StopSignal: "SIGRTMIN+3",
		Labels: map[string]string{
			"org.opencontainers.image.title":   "sidecar-node",
			"org.opencontainers.image.version": in.GitVersion,
		},
	}, stack...)
	return result, err
}

// wanted asks kubeadm for the images that it will use.
func wanted(ctx context.Context, kubeadm, version string) ([]string, error) {
	cmd := exec.CommandContext(ctx, kubeadm, "config", "images", "list", "--kubernetes-version", version)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("ask %s which images it wants: %w\n%s", kubeadm, err, stderr.String())
	}
	listed := strings.Fields(string(out))
	if !slices.ContainsFunc(listed, func(ref string) bool { return strings.Contains(ref, "/pause:") }) {
		return nil, fmt.Errorf("kubeadm wants the images %v: want a pause image among them", listed)
	}
	return listed, nil
}

var imageLine = regexp.MustCompile(`(?m)(?:^\s*-?\s*image:\s*|--helper-image=)"?([^\s"]+)`)

// checkManifests makes sure that the manifests name only preloaded images.
func checkManifests(dir string, containers map[string]container) error {
	files, err := filepath.Glob(filepath.Join(dir, "*.yaml"))
	if err != nil {
		return err
	}
	found := 0
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		for _, m := range imageLine.FindAllSubmatch(data, -1) {
			found++
			if _, ok := containers[string(m[1])]; !ok {
				return fmt.Errorf("%s: image %s is not preloaded: want one of %s", file, m[1], strings.Join(slices.Sorted(maps.Keys(containers)), ", "))
			}
		}
	}
	if found == 0 {
		return fmt.Errorf("no image in %s/*.yaml: want manifests of the pod network and the storage", dir)
	}
	return nil
}

// preload makes the preloaded images and containerd's state folder with them.
// It returns the folder, and the blobs that come from the Kubernetes tree.
func (in Input) preload(ctx context.Context, d *digests, containers map[string]container) (string, map[string]bool, error) {
	src := sources{
		binary: func(c container, name string) string {
			if c.kubernetes {
				return filepath.Join(in.Kubernetes, name)
			}
			return in.Components.Path(name)
		},
		tools:     in.ToolsTree,
		toolFiles: in.Path("images", "tools", "files"),
		digests:   d,
	}
	third := oci.Store{Dir: in.Output("images", "layers")}
	tree := oci.Store{Dir: in.Output("images", string(in.Variant), "layers")}
	var images []preload.Image
	var key []string
	fromTree := map[string]bool{}
	for _, ref := range slices.Sorted(maps.Keys(containers)) {
		c := containers[ref]
		store := third
		if c.kubernetes {
			store = tree
		}
		img, err := c.image(store, src)
		if err != nil {
			return "", nil, fmt.Errorf("image %s: %w", ref, err)
		}
		digest, err := img.Digest()
		if err != nil {
			return "", nil, err
		}
		key = append(key, ref+" "+digest.String())
		images = append(images, preload.Image{Names: []string{ref}, Image: img})
		if c.kubernetes {
			if err := collect(img, fromTree); err != nil {
				return "", nil, err
			}
		}
	}
	// What another image shares, such as the tools, changes rarely.
	for i, ref := range slices.Sorted(maps.Keys(containers)) {
		if containers[ref].kubernetes {
			continue
		}
		shared := map[string]bool{}
		if err := collect(images[i], shared); err != nil {
			return "", nil, err
		}
		for hex := range shared {
			delete(fromTree, hex)
		}
	}
	state := in.Output("images", string(in.Variant), "containerd")
	return state, fromTree, writeState(ctx, state, strings.Join(key, "\n"), images)
}

// collect adds the names of the blobs of the image.
func collect(img v1.Image, to map[string]bool) error {
	manifest, err := img.Manifest()
	if err != nil {
		return err
	}
	digest, err := img.Digest()
	if err != nil {
		return err
	}
	to[digest.Hex] = true
	to[manifest.Config.Digest.Hex] = true
	for _, l := range manifest.Layers {
		to[l.Digest.Hex] = true
	}
	return nil
}

// writeState makes the state folder unless it was made with the same key.
func writeState(ctx context.Context, state, key string, images []preload.Image) error {
	keyFile := state + ".key"
	if old, err := os.ReadFile(keyFile); err == nil && string(old) == key {
		return nil
	}
	tmp := state + ".tmp"
	if err := errors.Join(os.RemoveAll(keyFile), os.RemoveAll(tmp), os.RemoveAll(state)); err != nil {
		return err
	}
	if err := preload.Write(ctx, tmp, images); err != nil {
		return err
	}
	if err := os.Rename(tmp, state); err != nil {
		return err
	}
	return os.WriteFile(keyFile, []byte(key), 0o644)
}

// named is a layer of the node image.
type named struct {
	name string
	*oci.Layer
}

// layers are ordered by how often they change.
func (in Input) layers(d *digests, state string, fromTree map[string]bool, pause string) ([]named, error) {
	shared := oci.Store{Dir: in.Output("images", "layers")}
	own := oci.Store{Dir: in.Output("images", string(in.Variant), "layers")}
	ourFiles, manifests := in.Path("images", "node", "files"), in.Path("images", "node", "manifests")
	kubernetes := func(name string) string { return filepath.Join(in.Kubernetes, name) }
	var binaries []string
	for _, names := range programs {
		for _, name := range names {
			binaries = append(binaries, in.Components.Path(name))
		}
	}
	slices.Sort(binaries)
	third := func(hex string) bool { return !fromTree[hex] }
	var thirdNames []string
	entries, err := os.ReadDir(preload.Blobs(state))
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if third(e.Name()) {
			thirdNames = append(thirdNames, e.Name())
		}
	}
	stateKey, err := d.file(state + ".key")
	if err != nil {
		return nil, err
	}

	plan := []struct {
		name        string
		store       oci.Store
		compression oci.Compression
		files       []string
		folders     []string
		key         string
		fill        func(*oci.Tree) error
	}{
		{name: "userspace", store: shared, compression: oci.Gzip, files: []string{in.NodeTree},
			fill: func(t *oci.Tree) error { return t.Tar(in.NodeTree) }},
		{name: "components", store: shared, compression: oci.Gzip, files: binaries,
			fill: func(t *oci.Tree) error {
				for dir, names := range programs {
					for _, name := range names {
						if err := t.File(dir+"/"+name, 0o755, in.Components.Path(name)); err != nil {
							return err
						}
					}
				}
				return nil
			}},
		{name: "images", store: own, compression: oci.GzipFast, key: strings.Join(thirdNames, "\n"),
			fill: func(t *oci.Tree) error { return blobs(t, state, third) }},
		{name: "configuration", store: own, compression: oci.Gzip, key: pause + codeVersion,
			folders: []string{in.KindFiles, ourFiles, manifests},
			fill:    func(t *oci.Tree) error { return configure(t, in.KindFiles, ourFiles, manifests, pause) }},
		{name: "control-plane", store: own, compression: oci.GzipFast, key: stateKey,
			fill: func(t *oci.Tree) error {
				if err := blobs(t, state, func(hex string) bool { return fromTree[hex] }); err != nil {
					return err
				}
				return database(t, state)
			}},
		{name: "clients", store: own, compression: oci.Gzip, key: in.GitVersion,
			files: []string{kubernetes("kubeadm"), kubernetes("kubectl")},
			fill: func(t *oci.Tree) error {
				t.Bytes("kind/version", 0o644, []byte(in.GitVersion))
				return errors.Join(t.File("usr/bin/kubeadm", 0o755, kubernetes("kubeadm")), t.File("usr/bin/kubectl", 0o755, kubernetes("kubectl")))
			}},
		{name: "kubelet", store: own, compression: oci.Gzip, files: []string{kubernetes("kubelet")},
			fill: func(t *oci.Tree) error { return t.File("usr/bin/kubelet", 0o755, kubernetes("kubelet")) }},
	}
	var layers []named
	for _, p := range plan {
		key := []string{p.key}
		for _, f := range p.files {
			sum, err := d.file(f)
			if err != nil {
				return nil, err
			}
			key = append(key, filepath.Base(f)+" "+sum)
		}
		for _, f := range p.folders {
			sum, err := d.folder(f)
			if err != nil {
				return nil, err
			}
			key = append(key, sum)
		}
		l, err := p.store.Layer("node-"+p.name, strings.Join(key, "\n"), p.compression, p.fill)
		if err != nil {
			return nil, err
		}
		layers = append(layers, named{p.name, l})
	}
	return layers, nil
}

// codeVersion changes when configure makes something else of the same files.
const codeVersion = "1"

// KindFiles returns the folder with the files of a node in the pinned kind
// module.
func KindFiles(ctx context.Context, root string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", "mod", "download", "-json", "sigs.k8s.io/kind")
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("download the kind module: %w\n%s", err, out)
	}
	var module struct{ Dir string }
	if err := json.Unmarshal(out, &module); err != nil {
		return "", err
	}
	return filepath.Join(module.Dir, "images", "base", "files"), nil
}
