package oci

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"archive/tar"

	"github.com/distribution/reference"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/validate"
)

func sample(t *Tree) error {
	t.Bytes("etc/hello", 0o644, []byte("hello\n"))
	t.Symlink("etc/world", "hello")
	return nil
}

// The digests are of an image with the files of sample. They change when the
// format of layers does, or a library compresses in another way; then every
// layer of every node image changes too, which a reviewer should know.
func TestGoldenDigests(t *testing.T) {
	golden := map[Compression]string{
		Gzip: goldenGzip, GzipFast: goldenGzipFast, Zstd: goldenZstd, ZstdSmall: goldenZstdSmall,
	}
	for c, want := range golden {
		l, err := Store{Dir: t.TempDir()}.Layer("sample", "1", c, sample)
		if err != nil {
			t.Fatal(err)
		}
		digest, _ := l.Digest()
		diff, _ := l.DiffID()
		if digest.Hex != want || diff.Hex != goldenDiffID {
			t.Errorf("%s: digest %s, diff ID %s; want %s, %s", c, digest.Hex, diff.Hex, want, goldenDiffID)
		}
	}
}

func TestLayersAndImagesAreValid(t *testing.T) {
	store := Store{Dir: t.TempDir()}
	var layers []v1.Layer
	for _, c := range []Compression{Gzip, GzipFast, Zstd} {
		l, err := store.Layer("sample-"+string(c), "1", c, sample)
		if err != nil {
			t.Fatal(err)
		}
		if err := validate.Layer(l); err != nil && c != Zstd {
			t.Errorf("%s: %v", c, err)
		}
		// The validator knows gzip only.
		r, err := l.Uncompressed()
		if err != nil {
			t.Fatal(err)
		}
		plain, err := io.ReadAll(r)
		if err := errors.Join(err, r.Close()); err != nil {
			t.Fatal(err)
		}
		if int64(len(plain)) != l.Unpacked() {
			t.Errorf("%s: %d bytes unpacked, want %d", c, len(plain), l.Unpacked())
		}
		layers = append(layers, l)
	}
	img, err := Image(v1.Config{Entrypoint: []string{"/x"}, StopSignal: "SIGRTMIN+3"}, layers[:2]...)
	if err != nil {
		t.Fatal(err)
	}
	if err := validate.Image(img); err != nil {
		t.Error(err)
	}
	file, err := img.ConfigFile()
	if err != nil || file.Config.StopSignal != "SIGRTMIN+3" || !file.Created.Equal(Epoch) || file.OS != "linux" {
		t.Errorf("config is %+v, %v", file, err)
	}
}

func TestStoreMakesLayersOnce(t *testing.T) {
	store := Store{Dir: t.TempDir()}
	calls := 0
	fill := func(tree *Tree) error { calls++; return sample(tree) }
	get := func(key string) *Layer {
		t.Helper()
		l, err := store.Layer("a", key, Gzip, fill)
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	first := get("1")
	again := get("1")
	if calls != 1 || first.meta != again.meta {
		t.Fatalf("made %d times, %+v and %+v", calls, first.meta, again.meta)
	}
	get("2")
	if _, err := os.Stat(first.File); calls != 2 || !errors.Is(err, os.ErrNotExist) {
		t.Errorf("made %d times, want 2; the old layer: %v, want it gone", calls, err)
	}
	// A layer that lost its end is not used.
	damaged := get("2").File
	if err := os.Truncate(damaged, 10); err != nil {
		t.Fatal(err)
	}
	if r, err := get("2").Uncompressed(); err != nil || calls != 3 {
		t.Errorf("made %d times, want 3; %v", calls, err)
	} else {
		r.Close()
	}
}

func TestStoreKeepsNothingOfAFailure(t *testing.T) {
	store := Store{Dir: t.TempDir()}
	missing := filepath.Join(t.TempDir(), "gone")
	if err := os.WriteFile(missing, []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	_, err := store.Layer("a", "1", Gzip, func(tree *Tree) error {
		if err := tree.File("x", 0o644, missing); err != nil {
			return err
		}
		return os.Remove(missing)
	})
	if !errors.Is(err, os.ErrNotExist) {
		t.Fatalf("got %v", err)
	}
	if left, _ := os.ReadDir(store.Dir); len(left) != 0 {
		t.Errorf("left %v", left)
	}
}

func TestArchive(t *testing.T) {
	l, err := Store{Dir: t.TempDir()}.Layer("a", "1", Gzip, sample)
	if err != nil {
		t.Fatal(err)
	}
	img, err := Image(v1.Config{}, l)
	if err != nil {
		t.Fatal(err)
	}
	names := []string{"sidecar-node:latest", "sidecar-node:v1.37.2-sidecar.1"}
	dir := t.TempDir()
	one, two := filepath.Join(dir, "one.tar"), filepath.Join(dir, "two.tar")
	for _, file := range []string{one, two} {
		if err := WriteArchive(file, img, names); err != nil {
			t.Fatal(err)
		}
	}
	a, _ := os.ReadFile(one)
	b, _ := os.ReadFile(two)
	if len(a) == 0 || !bytes.Equal(a, b) {
		t.Error("two archives of one image differ")
	}
	read, err := tarball.ImageFromPath(one, nil)
	if err != nil {
		t.Fatal(err)
	}
	want, _ := img.ConfigName()
	if got, err := read.ConfigName(); err != nil || got != want {
		t.Errorf("read back %v, %v; want %v", got, err, want)
	}
	// What docker load goes by.
	var manifest []struct{ RepoTags []string }
	if err := json.Unmarshal(entryOf(t, a, "manifest.json"), &manifest); err != nil {
		t.Fatal(err)
	}
	if len(manifest) != 1 || len(manifest[0].RepoTags) != len(names) {
		t.Fatalf("manifest.json names %+v, want one image with %v", manifest, names)
	}
	for i, tag := range manifest[0].RepoTags {
		short, err := reference.ParseNormalizedNamed(names[i])
		if err != nil {
			t.Fatal(err)
		}
		// A host, a folder, and the name that users type.
		if tag != short.String() || strings.Count(tag, "/") != 2 || !strings.HasSuffix(tag, "/"+names[i]) {
			t.Errorf("name %s, want %s", tag, short)
		}
	}
}

func entryOf(t *testing.T, archive []byte, name string) []byte {
	t.Helper()
	tr := tar.NewReader(bytes.NewReader(archive))
	for {
		h, err := tr.Next()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if h.Name == name {
			data, err := io.ReadAll(tr)
			if err != nil {
				t.Fatal(err)
			}
			return data
		}
	}
}

const (
	goldenDiffID    = "4415cd935520d878f1d7e8226b6820079f764c871c59dbb19f508c6c7a831bd4"
	goldenGzip      = "edcb104bcff0923870a485d715abc139305d3fd6df7fdbb4ba2e588aa899b88e"
	goldenGzipFast  = "1e8e2a5d3011344109f7f4e154cd230a78043df8bcacb980a9ff7e6638113a8e"
	goldenZstdSmall = "5f0b55e688a50cbd005e7e6f00305d89b80a2e39e48fd1ddfcf3dda629a20336"
	goldenZstd      = "a84d6b4c6bc148fb2075fdd17b77ceb631762b1e8b33f52848a547ce61b1cc86"
)
