// Package nodeimage puts the node image together from a Debian userspace, the
// components, preloaded container images and the Kubernetes binaries.
package nodeimage

import (
	"context"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"sidecar-node/build/internal/component"
	"sidecar-node/build/internal/digest"
	"sidecar-node/build/internal/layout"
	"sidecar-node/build/internal/oci"
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
	d := &digest.Files{}
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
