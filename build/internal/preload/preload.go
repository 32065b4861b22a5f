// Package preload writes container images into the folder that containerd
// keeps its state in, with containerd's own packages, so that a node has them
// when it starts for the first time. The images are stored packed; containerd
// unpacks each when the first container needs it.
package preload

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/containerd/containerd/v2/core/content"
	"github.com/containerd/containerd/v2/core/images"
	"github.com/containerd/containerd/v2/core/metadata"
	"github.com/containerd/containerd/v2/pkg/namespaces"
	"github.com/containerd/containerd/v2/plugins/content/local"
	"github.com/containerd/log"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/opencontainers/go-digest"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	"go.etcd.io/bbolt"
)

const (
	// Namespace is the one that the kubelet's images are in.
	Namespace = "k8s.io"
	// Root is the folder of containerd's state on a node.
	Root = "/var/lib/containerd"

	contentFolder  = "io.containerd.content.v1.content"
	metadataFolder = "io.containerd.metadata.v1.bolt"
)

// imageLabels make the CRI plugin show the image to the kubelet, and keep the
// kubelet from ever removing it: a node without a registry cannot get it back.
var imageLabels = map[string]string{
	"io.cri-containerd.image":  "managed",
	"io.cri-containerd.pinned": "pinned",
}

// Image is an image under its names.
type Image struct {
	// Names are full references, with host and tag.
	Names []string
	v1.Image
}

// Database is the file of the metadata below the folder that Write was given.
func Database(dir string) string { return filepath.Join(dir, metadataFolder, "meta.db") }

// Blobs is the folder of the blobs below the folder that Write was given.
func Blobs(dir string) string { return filepath.Join(dir, contentFolder, "blobs", "sha256") }

// Write makes dir, which must not exist, the state folder of a containerd that
// has these images and nothing else.
func Write(ctx context.Context, dir string, all []Image) error {
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return err
	}
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	ctx = namespaces.WithNamespace(ctx, Namespace)
	err := open(ctx, dir, func(db *metadata.DB) error {
		for _, img := range all {
			if err := write(ctx, db, img); err != nil {
				return fmt.Errorf("preload %v: %w", img.Names, err)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return normalize(Database(dir))
}

// open calls f with the metadata store in dir.
func open(ctx context.Context, dir string, f func(*metadata.DB) error) error {
	// The store warns about kernels without fs-verity, which it does not need.
	if err := log.SetLevel("error"); err != nil {
		return err
	}
	blobs, err := local.NewStore(filepath.Join(dir, contentFolder))
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(Database(dir)), 0o755); err != nil {
		return err
	}
	bolt, err := bbolt.Open(Database(dir), 0o644, nil)
	if err != nil {
		return err
	}
	defer bolt.Close()
	db := metadata.NewDB(bolt, blobs, nil)
	if err := db.Init(ctx); err != nil {
		return err
	}
	return f(db)
}

func write(ctx context.Context, db *metadata.DB, img Image) error {
	// Children first: a blob's labels name what it keeps from being collected.
	layers, err := img.Layers()
	if err != nil {
		return err
	}
	for _, l := range layers {
		if err := writeLayer(ctx, db, l); err != nil {
			return err
		}
	}
	manifest, err := img.Manifest()
	if err != nil {
		return err
	}
	config, err := img.RawConfigFile()
	if err != nil {
		return err
	}
	if err := writeBlob(ctx, db, descriptor(manifest.Config), bytes.NewReader(config)); err != nil {
		return err
	}
	raw, err := img.RawManifest()
	if err != nil {
		return err
	}
	target := ocispec.Descriptor{
		MediaType: string(manifest.MediaType),
		Digest:    digest.FromBytes(raw),
		Size:      int64(len(raw)),
	}
	if err := writeBlob(ctx, db, target, bytes.NewReader(raw)); err != nil {
		return err
	}
	label := images.SetChildrenLabels(db.ContentStore(), images.ChildrenHandler(db.ContentStore()))
	if err := images.Walk(ctx, label, target); err != nil {
		return err
	}
	store := metadata.NewImageStore(db)
	for _, name := range img.Names {
		if _, err := store.Create(ctx, images.Image{Name: name, Target: target, Labels: imageLabels}); err != nil {
			return err
		}
	}
	return nil
}

func writeLayer(ctx context.Context, db *metadata.DB, l v1.Layer) error {
	hash, err := l.Digest()
	if err != nil {
		return err
	}
	size, err := l.Size()
	if err != nil {
		return err
	}
	mediaType, err := l.MediaType()
	if err != nil {
		return err
	}
	r, err := l.Compressed()
	if err != nil {
		return err
	}
	defer r.Close()
	return writeBlob(ctx, db, descriptor(v1.Descriptor{MediaType: mediaType, Digest: hash, Size: size}), r)
}

// writeBlob checks size and digest while writing. A blob that is there already
// is left alone.
func writeBlob(ctx context.Context, db *metadata.DB, d ocispec.Descriptor, r io.Reader) error {
	return content.WriteBlob(ctx, db.ContentStore(), d.Digest.String(), r, d)
}

func descriptor(d v1.Descriptor) ocispec.Descriptor {
	return ocispec.Descriptor{MediaType: string(d.MediaType), Digest: digest.Digest(d.Digest.String()), Size: d.Size}
}
