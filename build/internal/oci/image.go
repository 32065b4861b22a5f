package oci

import (
	"os"
	"path/filepath"
	"runtime"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// Image returns an image of these layers, lowest first.
func Image(config v1.Config, layers ...v1.Layer) (v1.Image, error) {
	img := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON)
	img, err := mutate.AppendLayers(img, layers...)
	if err != nil {
		return nil, err
	}
	file, err := img.ConfigFile()
	if err != nil {
		return nil, err
	}
	file = file.DeepCopy()
	file.OS, file.Architecture = "linux", runtime.GOARCH
	file.Config = config
	file.Created = v1.Time{Time: Epoch}
	for i := range file.History {
		file.History[i].Created = v1.Time{Time: Epoch}
	}
	return mutate.ConfigFile(img, file)
}

// hub is the place that Docker, and kind with either engine, add to a name
// without a host. Podman adds localhost when it loads such a name from an
// archive, and kind would not find the image there.
const hub = "docker.io/library/"

// WriteArchive writes the image, under all of its names, to an archive that
// docker load and podman load read. Names have no host. The file appears whole
// or not at all.
func WriteArchive(file string, img v1.Image, names []string) error {
	refs := map[name.Tag]v1.Image{}
	for _, n := range names {
		tag, err := name.NewTag(hub + n)
		if err != nil {
			return err
		}
		refs[tag] = img
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	tmp := file + ".tmp"
	if err := tarball.MultiWriteToFile(tmp, refs); err != nil {
		os.Remove(tmp)
		return err
	}
	return os.Rename(tmp, file)
}
