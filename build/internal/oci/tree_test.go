package oci

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// list describes the entries of a tar stream, one line each.
func list(t *testing.T, r io.Reader) []string {
	t.Helper()
	var lines []string
	tr := tar.NewReader(r)
	for {
		h, err := tr.Next()
		if errors.Is(err, io.EOF) {
			return lines
		}
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(tr)
		if err != nil {
			t.Fatal(err)
		}
		if !h.ModTime.Equal(Epoch) {
			t.Errorf("%s has the time %s", h.Name, h.ModTime)
		}
		if h.Uname != "" || h.Gname != "" {
			t.Errorf("%s names its owner %q:%q", h.Name, h.Uname, h.Gname)
		}
		lines = append(lines, strings.TrimSpace(fmt.Sprintf("%c %s %o %d:%d %s %s", h.Typeflag, h.Name, h.Mode, h.Uid, h.Gid, h.Linkname, data)))
	}
}

func write(t *testing.T, tree *Tree) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := tree.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func equal(t *testing.T, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("got:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestTreeIsSortedAndComplete(t *testing.T) {
	tree := NewTree()
	tree.Bytes("/usr/bin/b", 0o755, []byte("two"))
	tree.Symlink("bin", "usr/bin")
	tree.Bytes("etc/a", 0o644, []byte("one"))
	tree.Dir("tmp", 0o1777)
	equal(t, list(t, bytes.NewReader(write(t, tree))), []string{
		"2 bin 777 0:0 usr/bin",
		"5 etc/ 755 0:0",
		"0 etc/a 644 0:0  one",
		"5 tmp/ 1777 0:0",
		"5 usr/ 755 0:0",
		"5 usr/bin/ 755 0:0",
		"0 usr/bin/b 755 0:0  two",
	})
}

func TestTreeDoesNotDependOnOrder(t *testing.T) {
	one, two := NewTree(), NewTree()
	for _, name := range []string{"c", "a/x", "b"} {
		one.Bytes(name, 0o644, []byte(name))
	}
	for _, name := range []string{"b", "c", "a/x"} {
		two.Bytes(name, 0o644, []byte(name))
	}
	if !bytes.Equal(write(t, one), write(t, two)) {
		t.Error("the same files added in another order give other bytes")
	}
}

// foreign writes a tar file as another program would.
func foreign(t *testing.T, headers []tar.Header, contents map[string]string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "foreign.tar")
	f, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	tw := tar.NewWriter(f)
	for _, h := range headers {
		h.Size = int64(len(contents[h.Name]))
		if err := tw.WriteHeader(&h); err != nil {
			t.Fatal(err)
		}
		if _, err := tw.Write([]byte(contents[h.Name])); err != nil {
			t.Fatal(err)
		}
	}
	if err := tw.Close(); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestTreeFromTar(t *testing.T) {
	now := Epoch.AddDate(50, 0, 0)
	file := foreign(t, []tar.Header{
		{Typeflag: tar.TypeDir, Name: "./var/mail/", Mode: 0o2775, Gid: 8, Gname: "mail", ModTime: now},
		{Typeflag: tar.TypeReg, Name: "./z/first", Mode: 0o755, ModTime: now},
		{Typeflag: tar.TypeReg, Name: "./ping", Mode: 0o755, ModTime: now, PAXRecords: map[string]string{"SCHILY.xattr.security.capability": "x", "comment": "y"}},
		{Typeflag: tar.TypeLink, Name: "./a/second", Linkname: "./z/first", ModTime: now},
	}, map[string]string{"./z/first": "content", "./ping": "pong"})
	tree := NewTree()
	if err := tree.Tar(file); err != nil {
		t.Fatal(err)
	}
	out := write(t, tree)
	// The link is sorted before its target, so they have changed places.
	equal(t, list(t, bytes.NewReader(out)), []string{
		"5 a/ 755 0:0",
		"0 a/second 755 0:0  content",
		"0 ping 755 0:0  pong",
		"5 var/ 755 0:0",
		"5 var/mail/ 2775 0:8",
		"5 z/ 755 0:0",
		"1 z/first 755 0:0 a/second",
	})
	if !bytes.Contains(out, []byte("SCHILY.xattr.security.capability=x")) {
		t.Error("the file capability is lost")
	}
	if bytes.Contains(out, []byte("comment=y")) {
		t.Error("a comment was kept")
	}
}

func TestTreeRefusesLinkToNothing(t *testing.T) {
	file := foreign(t, []tar.Header{{Typeflag: tar.TypeLink, Name: "a", Linkname: "b"}}, nil)
	if err := NewTree().Tar(file); err == nil || !strings.Contains(err.Error(), "a is a hard link to b") {
		t.Errorf("got %v", err)
	}
}

func TestRemove(t *testing.T) {
	tree := NewTree()
	for _, name := range []string{"usr/share/doc/x/copyright", "usr/share/man/a", "usr/bin/a", "var/cache/apt/x", "var/cache/y"} {
		tree.Bytes(name, 0o644, nil)
	}
	for pattern, want := range map[string]int{"/usr/share/man": 2, "/var/cache/*": 3, "/nothing": 0} {
		if got, err := tree.Remove(pattern); err != nil || got != want {
			t.Errorf("Remove(%q) = %d, %v; want %d", pattern, got, err, want)
		}
	}
	for name, want := range map[string]bool{"usr/share/doc/x/copyright": true, "usr/bin/a": true, "var/cache": true, "var/cache/y": false, "usr/share/man": false} {
		if tree.Has(name) != want {
			t.Errorf("Has(%q) = %t", name, !want)
		}
	}
}

func TestFolderTakesRunBitsAndLinks(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "bin"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "bin", "run"), []byte("r"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "conf"), []byte("c"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("conf", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	tree := NewTree()
	if err := tree.Folder("opt", dir); err != nil {
		t.Fatal(err)
	}
	equal(t, list(t, bytes.NewReader(write(t, tree))), []string{
		"5 opt/ 755 0:0",
		"5 opt/bin/ 755 0:0",
		"0 opt/bin/run 755 0:0  r",
		"0 opt/conf 644 0:0  c",
		"2 opt/link 777 0:0 conf",
	})
}
