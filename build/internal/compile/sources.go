package compile

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"sidecar-node/build/internal/gotool"
)

// goPackage is what `go list -json` says about a package.
type goPackage struct {
	ImportPath string
	Dir        string
	Standard   bool
	Deps       []string
	GoFiles    []string
	SFiles     []string
	HFiles     []string
	EmbedFiles []string
}

// sources returns, for each binary, the files of the tree that it is compiled
// from, sorted, as paths in the tree. Modules outside the tree are covered by
// the go.mod, go.sum and go.work files, which are among them.
func (b *Build) sources(ctx context.Context) (map[string][]string, error) {
	var mains []string
	for _, n := range Commands {
		mains = append(mains, "k8s.io/kubernetes/cmd/"+n)
	}
	tops, err := b.list(ctx, append([]string{"-json=ImportPath,Deps"}, mains...)...)
	if err != nil {
		return nil, err
	}
	all, err := b.list(ctx, append([]string{"-deps", "-json=ImportPath,Dir,Standard,GoFiles,SFiles,HFiles,EmbedFiles"}, mains...)...)
	if err != nil {
		return nil, err
	}
	files := map[string][]string{}
	for _, p := range all {
		rel, err := filepath.Rel(b.Tree.Dir, p.Dir)
		if err != nil || p.Standard || strings.HasPrefix(rel, "..") {
			continue
		}
		for _, f := range slices.Concat(p.GoFiles, p.SFiles, p.HFiles, p.EmbedFiles) {
			files[p.ImportPath] = append(files[p.ImportPath], filepath.ToSlash(filepath.Join(rel, f)))
		}
	}
	out, err := b.Tree.Run(ctx, "ls-files", "--", "go.work", "go.work.sum", "go.mod", "go.sum", ":(glob)staging/src/k8s.io/*/go.mod")
	if err != nil {
		return nil, err
	}
	modules := strings.Fields(out)
	sources := map[string][]string{}
	for _, t := range tops {
		s := slices.Concat(modules, files[t.ImportPath])
		for _, d := range t.Deps {
			s = append(s, files[d]...)
		}
		slices.Sort(s)
		sources[strings.TrimPrefix(t.ImportPath, "k8s.io/kubernetes/cmd/")] = slices.Compact(s)
	}
	return sources, nil
}

func (b *Build) list(ctx context.Context, args ...string) ([]goPackage, error) {
	cmd := gotool.Command(ctx, b.Tree.Dir, "go", append([]string{"list"}, args...)...)
	cmd.Env = append(cmd.Env, "CGO_ENABLED=0")
	out, err := gotool.Output(cmd)
	if err != nil {
		return nil, err
	}
	var packages []goPackage
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p goPackage
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return packages, nil
		} else if err != nil {
			return nil, err
		}
		packages = append(packages, p)
	}
}
