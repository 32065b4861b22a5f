package workloads

import (
	"archive/tar"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sidecar-node/build/internal/oci"
)

// input is one whose tree has these empty files.
func input(t *testing.T, names ...string) Input {
	t.Helper()
	dir := t.TempDir()
	in := Input{Tree: filepath.Join(dir, "tree.tar"), Files: filepath.Join(dir, "files"), Store: oci.Store{Dir: filepath.Join(dir, "layers")}}
	f, err := os.Create(in.Tree)
	if err != nil {
		t.Fatal(err)
	}
	w := tar.NewWriter(f)
	for _, name := range names {
		if err := w.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: 0o755}); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Close(), f.Close(), os.MkdirAll(filepath.Join(in.Files, "etc"), 0o755),
		os.WriteFile(filepath.Join(in.Files, "etc", "passwd"), []byte("it\n"), 0o644)); err != nil {
		t.Fatal(err)
	}
	return in
}

func TestImageStandsForInstalledPackages(t *testing.T) {
	in := input(t, "usr/bin/psql", "usr/lib/postgresql/17/bin/psql", "usr/lib/postgresql/17/bin/initdb", "usr/sbin/haproxy")
	img, err := Image(in)
	if err != nil {
		t.Fatal(err)
	}
	layers, err := img.Layers()
	if err != nil || len(layers) != 1 {
		t.Fatalf("%d layers, %v; want one", len(layers), err)
	}
	r, err := layers[0].Uncompressed()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	links := map[string]string{}
	for tr := tar.NewReader(r); ; {
		h, err := tr.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		links[h.Name] = h.Linkname
	}
	for name, want := range map[string]string{
		"bin":               "usr/bin",
		"etc/passwd":        "",
		"usr/bin/initdb":    "/usr/lib/postgresql/17/bin/initdb",
		"usr/bin/psql":      "/usr/lib/postgresql/17/bin/psql",
		"usr/bin/sh":        "busybox",
		"usr/sbin/haproxy":  "",
		"usr/sbin/iptables": "xtables-nft-multi",
	} {
		if got, ok := links[name]; !ok || got != want {
			t.Errorf("%s: got link %q, there %v; want %q", name, got, ok, want)
		}
	}
}

func TestImageWithoutDatabaseIsRefused(t *testing.T) {
	if _, err := Image(input(t, "usr/sbin/haproxy")); err == nil || !strings.Contains(err.Error(), "no program of PostgreSQL") {
		t.Errorf("got %v, want an error that names what is missing", err)
	}
}
