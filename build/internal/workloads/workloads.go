// Package workloads makes the image of real programs, such as a proxy and a
// database, that the manifests in examples/real run. No node image holds it.
package workloads

import (
	"errors"
	"path"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"sidecar-node/build/internal/digest"
	"sidecar-node/build/internal/oci"
)

// Name is the name of the image.
const Name = "localhost/sidecar-workloads:v1"

// shellCommands are the commands of busybox that the image has: those of a
// small shell script, and nc and wget to ask servers with.
var shellCommands = []string{
	"cat", "chmod", "chown", "cp", "cut", "date", "echo", "env", "grep", "head", "id", "ls", "mkdir", "mv", "nc", "rm",
	"sed", "seq", "sh", "sleep", "stat", "sync", "tail", "test", "touch", "tr", "true", "wc", "wget",
}

// tables are the commands for which Debian lets the administrator choose between
// two kinds of tables.
var tables = []string{"iptables", "iptables-save", "iptables-restore", "ip6tables", "ip6tables-save", "ip6tables-restore"}

// Input is what the image is made from.
type Input struct {
	// Tree is the tar file of the Debian tree.
	Tree string
	// Files is a folder with files of ours, laid over the tree.
	Files string
	// Store keeps the layer.
	Store oci.Store
}

// Image makes the image unless the store has its layer already.
func Image(in Input) (v1.Image, error) {
	d := &digest.Files{}
	tree, err := d.File(in.Tree)
	if err != nil {
		return nil, err
	}
	files, err := d.Folder(in.Files)
	if err != nil {
		return nil, err
	}
	key := strings.Join([]string{tree, files, strings.Join(shellCommands, " "), strings.Join(tables, " "), "format 1"}, "\n")
	layer, err := in.Store.Layer("workloads", key, oci.Gzip, in.fill)
	if err != nil {
		return nil, err
	}
	return oci.Image(v1.Config{
		Env:        []string{"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"},
		WorkingDir: "/",
	}, layer)
}

// fill makes of unpacked packages what installed ones would be, as far as the
// programs need it.
func (in Input) fill(t *oci.Tree) error {
	if err := t.Tar(in.Tree); err != nil {
		return err
	}
	if err := t.Folder("", in.Files); err != nil {
		return err
	}
	t.Dir("tmp", 0o1777)
	t.Dir("run", 0o755)
	t.Symlink("var/run", "/run")
	for _, dir := range []string{"bin", "lib", "lib64", "sbin"} {
		t.Symlink(dir, "usr/"+dir)
	}
	for _, command := range shellCommands {
		t.Symlink("usr/bin/"+command, "busybox")
	}
	for _, command := range tables {
		t.Symlink("usr/sbin/"+command, "xtables-nft-multi")
	}
	return databasePrograms(t)
}

// databasePrograms puts PostgreSQL's programs into PATH. Debian has a Perl
// program there, which chooses between versions.
func databasePrograms(t *oci.Tree) error {
	found := false
	for _, name := range t.Names() {
		if ok, _ := path.Match("usr/lib/postgresql/*/bin/*", name); ok {
			t.Symlink("usr/bin/"+path.Base(name), "/"+name)
			found = true
		}
	}
	if !found {
		return errors.New("the tree holds no program of PostgreSQL: want usr/lib/postgresql/*/bin/*; does images/rootfs/workloads.yaml list its package?")
	}
	return nil
}
