package nodeimage

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"sidecar-node/build/internal/digest"
	"sidecar-node/build/internal/oci"
	"sidecar-node/build/internal/preload"
	"slices"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"
)

// preload makes the preloaded images and containerd's state folder with them.
// It returns the folder, and the blobs that come from the Kubernetes tree.
func (in Input) preload(ctx context.Context, d *digest.Files, containers map[string]container) (string, map[string]bool, error) {
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
