package nodeimage

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"sidecar-node/build/internal/digest"
	"sidecar-node/build/internal/oci"
)

// container describes an image that is preloaded on the node: at most one
// binary, in a layer of its own on top of shared tools.
type container struct {
	// binary is the name of the program.
	binary string
	// at is its path in the image.
	at string
	// more lists other binaries by path.
	more map[string]string
	// tools says that the program runs commands such as nft and iptables.
	tools bool
	// helper says that the image is a shell with the usual commands.
	helper bool
	// user is the numeric user and group that the program runs as.
	user string
	// kubernetes says that the binary is compiled from the Kubernetes tree.
	kubernetes bool
}

// path of every image's environment.
const searchPath = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

// wantedByKubeadm describes the images that kubeadm asks for, by the last
// element of the name that it gives them.
var wantedByKubeadm = map[string]container{
	"kube-apiserver":          {binary: "kube-apiserver", at: "usr/local/bin/kube-apiserver", kubernetes: true},
	"kube-controller-manager": {binary: "kube-controller-manager", at: "usr/local/bin/kube-controller-manager", kubernetes: true},
	"kube-scheduler":          {binary: "kube-scheduler", at: "usr/local/bin/kube-scheduler", kubernetes: true},
	"kube-proxy":              {binary: "kube-proxy", at: "usr/local/bin/kube-proxy", kubernetes: true, tools: true},
	"etcd":                    {binary: "etcd", at: "usr/local/bin/etcd", more: map[string]string{"usr/local/bin/etcdctl": "etcdctl"}},
	"coredns":                 {binary: "coredns", at: "coredns"},
	"pause":                   {binary: "pause", at: "pause", user: "65535:65535"},
}

// ours are the images that kubeadm does not know. The manifests in
// images/node/manifests name them.
func ours(localPathVersion string) map[string]container {
	return map[string]container{
		"localhost/podnetwork:v1":                              {binary: "podnetwork", at: "usr/local/bin/podnetwork", tools: true},
		"localhost/sidecar-probe:v1":                           {binary: "probe", at: "probe"},
		"localhost/local-path-helper:v1":                       {helper: true},
		"localhost/local-path-provisioner:" + localPathVersion: {binary: "local-path-provisioner", at: "usr/local/bin/local-path-provisioner"},
	}
}

// describe returns the images for the names that kubeadm lists, and ours.
func describe(kubeadm []string, localPathVersion string) (map[string]container, error) {
	all := ours(localPathVersion)
	for _, ref := range kubeadm {
		repository, _, ok := strings.Cut(path.Base(ref), ":")
		c, known := wantedByKubeadm[repository]
		if !ok || !known {
			return nil, fmt.Errorf("kubeadm wants the image %s: want one of %s, which the build knows how to make",
				ref, strings.Join(slices.Sorted(maps.Keys(wantedByKubeadm)), ", "))
		}
		all[ref] = c
	}
	return all, nil
}

// sources finds the files that images are made of.
type sources struct {
	// binary returns the file of a binary.
	binary func(c container, name string) string
	// tools is the tar file of the tree of tools.
	tools string
	// toolFiles is a folder with files of ours for the same layer.
	toolFiles string
	// digests hashes files.
	digests *digest.Files
}

// image makes the image; layers come from the store when it has them.
func (c container) image(store oci.Store, src sources) (v1.Image, error) {
	var layers []v1.Layer
	config := v1.Config{Env: []string{searchPath}, WorkingDir: "/", User: c.user}
	if c.tools || c.helper {
		l, err := toolsLayer(store, src)
		if err != nil {
			return nil, err
		}
		layers = append(layers, l)
	}
	if c.binary != "" {
		l, err := c.layer(store, src)
		if err != nil {
			return nil, err
		}
		layers = append(layers, l)
		config.Entrypoint = []string{"/" + c.at}
	}
	return oci.Image(config, layers...)
}

// layer holds the binaries of the image.
func (c container) layer(store oci.Store, src sources) (v1.Layer, error) {
	files := map[string]string{c.at: src.binary(c, c.binary)}
	for at, name := range c.more {
		files[at] = src.binary(c, name)
	}
	key := ""
	for _, at := range slices.Sorted(maps.Keys(files)) {
		d, err := src.digests.File(files[at])
		if err != nil {
			return nil, err
		}
		key += at + " " + d + "\n"
	}
	compression := oci.ZstdSmall
	if c.kubernetes {
		compression = oci.Zstd
	}
	return store.Layer("container-"+c.binary, key, compression, func(t *oci.Tree) error {
		t.Dir("tmp", 0o1777)
		for at, file := range files {
			if err := t.File(at, 0o755, file); err != nil {
				return err
			}
		}
		return nil
	})
}

// shellCommands are the commands of busybox in the tools layer.
var shellCommands = []string{"cat", "cp", "cut", "echo", "env", "grep", "ln", "ls", "mkdir", "mv", "rm", "sed", "sh", "sleep", "tar", "touch"}

// toolsLayer holds iptables, nft and what they need, and a shell.
func toolsLayer(store oci.Store, src sources) (v1.Layer, error) {
	key := strings.Join(shellCommands, " ")
	for _, f := range []func() (string, error){
		func() (string, error) { return src.digests.File(src.tools) },
		func() (string, error) { return src.digests.Folder(src.toolFiles) },
	} {
		d, err := f()
		if err != nil {
			return nil, err
		}
		key += "\n" + d
	}
	return store.Layer("container-tools", key, oci.ZstdSmall, func(t *oci.Tree) error {
		if err := t.Tar(src.tools); err != nil {
			return err
		}
		if err := t.Folder("", src.toolFiles); err != nil {
			return err
		}
		t.Dir("tmp", 0o1777)
		// Packages put files below usr only and expect these links.
		for _, dir := range []string{"bin", "lib", "lib64", "sbin"} {
			t.Symlink(dir, "usr/"+dir)
		}
		for _, command := range shellCommands {
			t.Symlink("usr/bin/"+command, "busybox")
		}
		t.Symlink("usr/sbin/modprobe", "../bin/busybox")
		for _, command := range []string{"iptables", "iptables-save", "iptables-restore", "ip6tables", "ip6tables-save", "ip6tables-restore"} {
			t.Symlink("usr/sbin/"+command, "xtables-select")
		}
		return nil
	})
}
