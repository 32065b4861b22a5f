package oci

import (
	"archive/tar"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/distribution/reference"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
)

// WriteArchive writes the image, under all of its names, to an archive that
// docker load and podman load read. The file appears whole or not at all.
//
// Names are written in full. Podman would take one without a host for one of
// localhost, where kind does not look.
//
// The library writes such archives too, but with the names in random order.
func WriteArchive(file string, img v1.Image, names []string) (err error) {
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	f, err := os.Create(file + ".tmp")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(f.Name())
		}
	}()
	tw := tar.NewWriter(f)
	if err := errors.Join(writeImage(tw, img, names), tw.Close(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), file)
}

func writeImage(tw *tar.Writer, img v1.Image, names []string) error {
	id, err := img.ConfigName()
	if err != nil {
		return err
	}
	config, err := img.RawConfigFile()
	if err != nil {
		return err
	}
	d := tarball.Descriptor{Config: id.String()}
	for _, n := range names {
		ref, err := reference.ParseDockerRef(n)
		if err != nil {
			return fmt.Errorf("image name %q: %w", n, err)
		}
		d.RepoTags = append(d.RepoTags, ref.String())
	}
	if err := writeMember(tw, d.Config, config); err != nil {
		return err
	}
	layers, err := img.Layers()
	if err != nil {
		return err
	}
	for _, l := range layers {
		digest, err := l.Digest()
		if err != nil {
			return err
		}
		member := digest.Hex + ".tar.gz"
		if !slices.Contains(d.Layers, member) {
			if err := writeLayer(tw, member, l); err != nil {
				return err
			}
		}
		d.Layers = append(d.Layers, member)
	}
	manifest, err := json.Marshal(tarball.Manifest{d})
	if err != nil {
		return err
	}
	return writeMember(tw, "manifest.json", manifest)
}

func writeMember(tw *tar.Writer, name string, data []byte) error {
	if err := tw.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: 0o644, Size: int64(len(data)), ModTime: Epoch}); err != nil {
		return err
	}
	_, err := tw.Write(data)
	return err
}

func writeLayer(tw *tar.Writer, name string, l v1.Layer) error {
	size, err := l.Size()
	if err != nil {
		return err
	}
	if err := tw.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: 0o644, Size: size, ModTime: Epoch}); err != nil {
		return err
	}
	r, err := l.Compressed()
	if err != nil {
		return err
	}
	_, err = io.Copy(tw, r)
	return errors.Join(err, r.Close())
}
