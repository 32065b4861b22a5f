// Package assemble puts the Kubernetes tree together from the modules that
// upstream publishes. The zip of k8s.io/kubernetes lacks the staging modules;
// these are fetched by themselves and laid in. The result is a scratch git
// repository with one commit, whose id depends on the lock only.
package assemble

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/mod/modfile"

	"sidecar-node/build/internal/disk"
	"sidecar-node/build/internal/git"
	"sidecar-node/build/internal/lock"
)

// stagingRoot is the folder of the tree that holds the staging modules.
const stagingRoot = "staging/src"

// PristineRef names the commit of the untouched upstream tree.
const PristineRef = "refs/sidecar/pristine"

// space is what the tree and its git objects need, with room to work.
const space = 1 << 30

// Tree assembles the tree of the lock in dest, which must not exist. If
// wantTree is not empty it is the git tree id that must come out. On failure
// nothing is left at dest.
func Tree(ctx context.Context, l *lock.Lock, dest, wantTree string) (err error) {
	if _, err := os.Lstat(dest); err == nil {
		return fmt.Errorf("%s exists already", dest)
	}
	if err := disk.Require(dest, space, "the Kubernetes tree"); err != nil {
		return err
	}
	modules, err := fetch(ctx, l)
	if err != nil {
		return err
	}
	tmp := dest + ".new"
	if err := os.RemoveAll(tmp); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			os.RemoveAll(tmp)
		}
	}()
	if err := lay(ctx, l, modules, tmp); err != nil {
		return err
	}
	if err := dropModules(tmp, l.Drop); err != nil {
		return err
	}
	tree, err := commit(ctx, l, tmp)
	if err != nil {
		return err
	}
	if wantTree != "" && tree != wantTree {
		return fmt.Errorf("the assembled tree differs from patches/tree.lock: want %s, found %s\nthe hashes of the modules are right, so files in the module cache were changed: go clean -modcache, then run the command again", wantTree, tree)
	}
	return os.Rename(tmp, dest)
}

// lay copies the modules into dir.
func lay(ctx context.Context, l *lock.Lock, modules map[string]downloaded, dir string) error {
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return err
	}
	if err := os.CopyFS(dir, os.DirFS(modules[lock.Main].Dir)); err != nil {
		return fmt.Errorf("copy %s: %w", lock.Main, err)
	}
	// The build takes its dependencies from the module cache.
	if err := os.RemoveAll(filepath.Join(dir, "vendor")); err != nil {
		return err
	}
	for _, m := range l.Modules {
		if m.Path == lock.Main {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		to := filepath.Join(dir, stagingRoot, filepath.FromSlash(m.Path))
		if err := os.RemoveAll(to); err != nil {
			return err
		}
		if err := os.CopyFS(to, os.DirFS(modules[m.Path].Dir)); err != nil {
			return fmt.Errorf("copy %s: %w", m.Path, err)
		}
	}
	return nil
}

// dropModules takes the modules out of go.work and go.mod.
func dropModules(dir string, paths []string) error {
	workFile := filepath.Join(dir, "go.work")
	data, err := os.ReadFile(workFile)
	if err != nil {
		return err
	}
	work, err := modfile.ParseWork(workFile, data, nil)
	if err != nil {
		return err
	}
	modFile := filepath.Join(dir, "go.mod")
	if data, err = os.ReadFile(modFile); err != nil {
		return err
	}
	mod, err := modfile.Parse(modFile, data, nil)
	if err != nil {
		return err
	}
	for _, p := range paths {
		if err := work.DropUse("./" + stagingRoot + "/" + p); err != nil {
			return err
		}
		if err := mod.DropRequire(p); err != nil {
			return err
		}
		if err := mod.DropReplace(p, ""); err != nil {
			return err
		}
	}
	work.Cleanup()
	mod.Cleanup()
	if err := os.WriteFile(workFile, modfile.Format(work.Syntax), 0o644); err != nil {
		return err
	}
	if data, err = mod.Format(); err != nil {
		return err
	}
	return os.WriteFile(modFile, data, 0o644)
}

// commit makes dir a repository with one commit and returns the tree id.
func commit(ctx context.Context, l *lock.Lock, dir string) (string, error) {
	r := git.Repo{Dir: dir}
	// No template: no sample hooks, nothing from the host.
	if _, err := r.Run(ctx, "init", "-q", "--template="); err != nil {
		return "", err
	}
	if err := os.MkdirAll(filepath.Join(dir, ".git", "info"), 0o755); err != nil {
		return "", err
	}
	// Upstream's own .gitattributes must not change a byte, here or in a
	// later checkout.
	if err := os.WriteFile(filepath.Join(dir, ".git", "info", "attributes"), []byte("* -text\n"), 0o644); err != nil {
		return "", err
	}
	// Forced: upstream's .gitignore also matches files that are in the modules.
	if _, err := r.Run(ctx, "add", "-f", "-A", "."); err != nil {
		return "", err
	}
	tree, err := r.Run(ctx, "write-tree")
	if err != nil {
		return "", err
	}
	message := fmt.Sprintf("pristine: Kubernetes %s\n\nAssembled from %d modules; no file is ours.\n", l.Kubernetes, len(l.Modules))
	id, err := r.Do(ctx, git.Call{Args: []string{"commit-tree", tree}, Stdin: []byte(message)})
	if err != nil {
		return "", err
	}
	head := strings.TrimSpace(string(id))
	for _, ref := range []string{PristineRef, "refs/heads/main"} {
		if _, err := r.Run(ctx, "update-ref", ref, head); err != nil {
			return "", err
		}
	}
	return tree, nil
}
