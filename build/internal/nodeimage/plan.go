package nodeimage

import (
	"errors"
	"os"
	"path/filepath"
	"sidecar-node/build/internal/digest"
	"sidecar-node/build/internal/oci"
	"sidecar-node/build/internal/preload"
	"slices"
	"strings"
)

// named is a layer of the node image.
type named struct {
	name string
	*oci.Layer
}

// layers are ordered by how often they change.
func (in Input) layers(d *digest.Files, state string, fromTree map[string]bool, pause string) ([]named, error) {
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
	stateKey, err := d.File(state + ".key")
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
			sum, err := d.File(f)
			if err != nil {
				return nil, err
			}
			key = append(key, filepath.Base(f)+" "+sum)
		}
		for _, f := range p.folders {
			sum, err := d.Folder(f)
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
const codeVersion = "2"
