package preload

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/containerd/containerd/v2/core/content"
	"github.com/containerd/containerd/v2/core/images"
	"github.com/containerd/containerd/v2/core/metadata"
	"github.com/containerd/containerd/v2/pkg/namespaces"
	"github.com/containerd/platforms"
	v1 "github.com/google/go-containerregistry/pkg/v1"

	"sidecar-node/build/internal/oci"
)

// image is an image with one layer that all images here share and one of its
// own, packed in different ways.
func image(t *testing.T, store oci.Store, name string) Image {
	t.Helper()
	shared, err := store.Layer("shared", "1", oci.Zstd, func(tree *oci.Tree) error {
		tree.Bytes("etc/shared", 0o644, bytes.Repeat([]byte("shared"), 1000))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	own, err := store.Layer("own-"+name, "1", oci.Gzip, func(tree *oci.Tree) error {
		tree.Bytes("bin/"+name, 0o755, []byte(name))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	img, err := oci.Image(v1.Config{Entrypoint: []string{"/bin/" + name}}, shared, own)
	if err != nil {
		t.Fatal(err)
	}
	return Image{Names: []string{"localhost/" + name + ":v1", "localhost/" + name + ":again"}, Image: img}
}

func TestContainerdFindsEverything(t *testing.T) {
	store := oci.Store{Dir: t.TempDir()}
	all := []Image{image(t, store, "a"), image(t, store, "b")}
	dir := filepath.Join(t.TempDir(), "containerd")
	if err := Write(context.Background(), dir, all); err != nil {
		t.Fatal(err)
	}
	ctx := namespaces.WithNamespace(context.Background(), Namespace)
	err := open(ctx, dir, func(db *metadata.DB) error {
		listed, err := metadata.NewImageStore(db).List(ctx)
		if err != nil {
			return err
		}
		var names []string
		for _, img := range listed {
			names = append(names, img.Name)
			if img.Labels["io.cri-containerd.image"] != "managed" || img.Labels["io.cri-containerd.pinned"] != "pinned" {
				t.Errorf("%s has the labels %v", img.Name, img.Labels)
			}
			// This is what the CRI plugin does with each image at start.
			ok, required, _, missing, err := images.Check(ctx, db.ContentStore(), img.Target, platforms.Default())
			if err != nil || !ok || len(required) != 3 || len(missing) != 0 {
				t.Errorf("%s: available %t, required %d, missing %v, %v; want config and 2 layers", img.Name, ok, len(required), missing, err)
			}
		}
		slices.Sort(names)
		want := []string{"localhost/a:again", "localhost/a:v1", "localhost/b:again", "localhost/b:v1"}
		if !slices.Equal(names, want) {
			t.Errorf("images are %v, want %v", names, want)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Without the labels that tie blobs to manifests containerd would throw the
// blobs away some minutes after start.
func TestGarbageCollectionKeepsEverything(t *testing.T) {
	store := oci.Store{Dir: t.TempDir()}
	dir := filepath.Join(t.TempDir(), "containerd")
	if err := Write(context.Background(), dir, []Image{image(t, store, "a"), image(t, store, "b")}); err != nil {
		t.Fatal(err)
	}
	ctx := namespaces.WithNamespace(context.Background(), Namespace)
	count := func(db *metadata.DB) int {
		t.Helper()
		n := 0
		err := db.ContentStore().Walk(ctx, func(content.Info) error { n++; return nil })
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	err := open(ctx, dir, func(db *metadata.DB) error {
		// 2 manifests, 2 configs, 1 shared layer, 2 layers of their own.
		if n := count(db); n != 7 {
			t.Errorf("%d blobs, want 7", n)
		}
		if _, err := db.GarbageCollect(ctx); err != nil {
			return err
		}
		if n := count(db); n != 7 {
			t.Errorf("%d blobs after garbage collection, want 7", n)
		}
		// The collector does work: without its names an image goes.
		for _, name := range []string{"localhost/a:v1", "localhost/a:again"} {
			if err := metadata.NewImageStore(db).Delete(ctx, name); err != nil {
				return err
			}
		}
		if _, err := db.GarbageCollect(ctx); err != nil {
			return err
		}
		if n := count(db); n != 4 {
			t.Errorf("%d blobs after removing an image, want 4", n)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestDatabaseIsReproducible(t *testing.T) {
	store := oci.Store{Dir: t.TempDir()}
	all := []Image{image(t, store, "a"), image(t, store, "b")}
	var databases [][]byte
	for range 2 {
		dir := filepath.Join(t.TempDir(), "containerd")
		if err := Write(context.Background(), dir, all); err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(Database(dir))
		if err != nil {
			t.Fatal(err)
		}
		databases = append(databases, data)
		// Times of day have a resolution that two runs would not share.
		time.Sleep(10 * time.Millisecond)
	}
	if !bytes.Equal(databases[0], databases[1]) {
		t.Error("the same images give another database")
	}
}

func TestWriteRefusesExistingFolder(t *testing.T) {
	if err := Write(context.Background(), t.TempDir(), nil); !os.IsExist(err) {
		t.Errorf("got %v, want an error that says the folder exists", err)
	}
}
