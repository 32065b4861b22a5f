package verify

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"sidecar-node/build/internal/apidocs"
	"sidecar-node/build/internal/layout"
	"sidecar-node/build/internal/pipeline"
)

// apiDocuments runs our API server, as upstream does to make the documents of its
// folder api. Ours are left in _output/api.
var apiDocuments = Check{
	Name:      "api documents",
	What:      "OpenAPI and discovery of our API server are upstream's, apart from lifecycle.type",
	Mend:      "diff -r _output/sidecar/src/api _output/api",
	NeedsTree: true,
	Run: func(ctx context.Context, r *Repository) error {
		if _, err := pipeline.Binaries(ctx, r.Env, layout.Sidecar); err != nil {
			return err
		}
		components, err := pipeline.Components(ctx, r.Env, []string{"etcd"})
		if err != nil {
			return err
		}
		ours, err := apidocs.Serve(ctx, apidocs.Binaries{
			Etcd: components.Path("etcd"), APIServer: filepath.Join(r.Bin(layout.Sidecar), "kube-apiserver"),
		})
		if err != nil {
			return err
		}
		if err := saveDocuments(r.Output("api"), ours); err != nil {
			return err
		}
		upstream, err := readDocuments(filepath.Join(r.Src(layout.Sidecar), "api"))
		if err != nil {
			return err
		}
		if wrong := apidocs.Compare(ours, upstream); len(wrong) > 0 {
			return errors.New(strings.Join(wrong, "\n"))
		}
		return nil
	},
}

func saveDocuments(dir string, docs apidocs.Documents) error {
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	for name, data := range docs {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(file, data, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// readDocuments reads the documents that upstream keeps in dir.
func readDocuments(dir string) (apidocs.Documents, error) {
	docs := apidocs.Documents{}
	for _, sub := range []string{"discovery", "openapi-spec"} {
		err := filepath.WalkDir(filepath.Join(dir, sub), func(file string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || filepath.Ext(file) != ".json" {
				return err
			}
			name, err := filepath.Rel(dir, file)
			if err != nil {
				return err
			}
			docs[filepath.ToSlash(name)], err = os.ReadFile(file)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	if len(docs) == 0 {
		return nil, fmt.Errorf("%s holds no documents", dir)
	}
	return docs, nil
}
