package pipeline

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sidecar-node/build/internal/layout"
	"sidecar-node/build/internal/lock"
	"sidecar-node/build/internal/nodeimage"
)

func TestImageNames(t *testing.T) {
	l := &lock.Lock{Kubernetes: "v1.37.2", Distribution: "sidecar.1"}
	for v, want := range map[layout.Variant][]string{
		layout.Sidecar: {"sidecar-node:latest", "sidecar-node:v1.37.2-sidecar.1"},
		layout.Stock:   {"sidecar-node-stock:latest", "sidecar-node-stock:v1.37.2"},
	} {
		if got := ImageNames(l, v); !slices.Equal(got, want) {
			t.Errorf("%s: got %v, want %v", v, got, want)
		}
	}
}

func TestSizesListsLayersAndTheirSum(t *testing.T) {
	archive := filepath.Join(t.TempDir(), "node.tar")
	if err := os.WriteFile(archive, make([]byte, 4<<20), 0o644); err != nil {
		t.Fatal(err)
	}
	got, err := sizes(&nodeimage.Result{Layers: []nodeimage.Size{
		{Name: "userspace", Compressed: 1 << 20, Unpacked: 3 << 20},
		{Name: "kubelet", Compressed: 5 << 19, Unpacked: 8 << 20},
	}}, &BuiltImage{Archive: archive})
	if err != nil {
		t.Fatal(err)
	}
	var rows []string
	for line := range strings.Lines(got) {
		rows = append(rows, strings.Join(strings.Fields(line), " "))
	}
	want := []string{
		"layer compressed MiB unpacked MiB",
		"userspace 1.0 3.0",
		"kubelet 2.5 8.0",
		"total 3.5 11.0",
		"archive 4.0 11.0",
	}
	if !slices.Equal(rows, want) {
		t.Errorf("got %q, want %q", rows, want)
	}
}
