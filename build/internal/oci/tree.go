// Package oci makes container images from files, without a daemon and so that
// the same input gives the same bytes: entries are sorted, times are fixed,
// and nothing of the building host shows.
package oci

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Tree is the file tree of one layer.
type Tree struct {
	entries map[string]*entry
}

// entry is one path. Its header holds everything but name, size and time.
type entry struct {
	header  tar.Header
	content content
}

// content is opened when the layer is written. Hard links share one content.
type content interface {
	open() (io.ReadCloser, error)
	size() int64
}

// NewTree returns a tree that holds nothing but its root.
func NewTree() *Tree { return &Tree{entries: map[string]*entry{}} }

// clean makes names relative, without a dot or slash in front.
func clean(name string) string { return strings.TrimPrefix(path.Clean("/"+name), "/") }

// put adds the entry and the folders above it that are not there yet.
func (t *Tree) put(name string, e *entry) {
	name = clean(name)
	if name == "" {
		return
	}
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if _, ok := t.entries[dir]; !ok {
			t.entries[dir] = &entry{header: tar.Header{Typeflag: tar.TypeDir, Mode: 0o755}}
		}
	}
	t.entries[name] = e
}

// Dir adds a folder, or sets the mode of one that is there.
func (t *Tree) Dir(name string, mode int64) {
	t.put(name, &entry{header: tar.Header{Typeflag: tar.TypeDir, Mode: mode}})
}

// Symlink adds a symbolic link.
func (t *Tree) Symlink(name, target string) {
	t.put(name, &entry{header: tar.Header{Typeflag: tar.TypeSymlink, Linkname: target, Mode: 0o777}})
}

// Bytes adds a file with that content.
func (t *Tree) Bytes(name string, mode int64, data []byte) {
	t.put(name, &entry{header: tar.Header{Typeflag: tar.TypeReg, Mode: mode}, content: memory(data)})
}

// File adds a copy of a file of the host. The file is read when the layer is
// written and must not change until then.
func (t *Tree) File(name string, mode int64, source string) error {
	info, err := os.Stat(source)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%s is no regular file", source)
	}
	t.put(name, &entry{header: tar.Header{Typeflag: tar.TypeReg, Mode: mode}, content: &section{file: source, length: info.Size()}})
	return nil
}

// Folder adds the files and links below a folder of the host. Files that
// their owner may execute get mode 0755, all others 0644.
func (t *Tree) Folder(name, source string) error {
	return filepath.WalkDir(source, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(source, file)
		if err != nil {
			return err
		}
		target := path.Join(name, filepath.ToSlash(rel))
		switch {
		case d.IsDir():
			if !t.Has(target) {
				t.Dir(target, 0o755)
			}
			return nil
		case d.Type()&fs.ModeSymlink != 0:
			link, err := os.Readlink(file)
			if err != nil {
				return err
			}
			t.Symlink(target, link)
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		mode := int64(0o644)
		if info.Mode()&0o100 != 0 {
			mode = 0o755
		}
		return t.File(target, mode, file)
	})
}

// Tar adds the entries of a tar file with their owners, modes and extended
// attributes. The file must not change until the layer is written.
func (t *Tree) Tar(file string) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	counter := &position{r: f}
	tr := tar.NewReader(counter)
	for {
		h, err := tr.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		e := &entry{header: tar.Header{
			Typeflag: h.Typeflag, Mode: h.Mode, Uid: h.Uid, Gid: h.Gid,
			Linkname: h.Linkname, Devmajor: h.Devmajor, Devminor: h.Devminor,
			PAXRecords: attributes(h.PAXRecords),
		}}
		switch h.Typeflag {
		case tar.TypeReg:
			e.content = &section{file: file, offset: counter.at, length: h.Size}
		case tar.TypeLink:
			first, ok := t.entries[clean(h.Linkname)]
			if !ok || first.content == nil {
				return fmt.Errorf("%s: %s is a hard link to %s, which is no file before it", file, h.Name, h.Linkname)
			}
			// Both names now are the same entry; Write makes the link.
			e = first
		}
		t.put(h.Name, e)
	}
}

// attributes keeps extended attributes and drops everything else of the PAX
// records, such as times and long names.
func attributes(records map[string]string) map[string]string {
	kept := map[string]string{}
	for k, v := range records {
		if strings.HasPrefix(k, "SCHILY.xattr.") {
			kept[k] = v
		}
	}
	if len(kept) == 0 {
		return nil
	}
	return kept
}

// Has reports whether the tree has that path.
func (t *Tree) Has(name string) bool {
	_, ok := t.entries[clean(name)]
	return ok
}

// Read returns the content of a file of the tree.
func (t *Tree) Read(name string) ([]byte, error) {
	e, ok := t.entries[clean(name)]
	if !ok || e.content == nil {
		return nil, &fs.PathError{Op: "read", Path: name, Err: fs.ErrNotExist}
	}
	r, err := e.content.open()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return io.ReadAll(r)
}

// Remove removes the paths that match a pattern of path.Match, and everything
// below them, and returns how many there were.
func (t *Tree) Remove(pattern string) (int, error) {
	pattern = clean(pattern)
	var matched []string
	for name := range t.entries {
		// A pattern without wildcard below a removed folder matches too.
		for p := name; p != "."; p = path.Dir(p) {
			ok, err := path.Match(pattern, p)
			if err != nil {
				return 0, fmt.Errorf("pattern %q: %w", pattern, err)
			}
			if ok {
				matched = append(matched, name)
				break
			}
		}
	}
	for _, name := range matched {
		delete(t.entries, name)
	}
	return len(matched), nil
}

// Names returns all paths, sorted.
func (t *Tree) Names() []string { return slices.Sorted(maps.Keys(t.entries)) }

// memory is content that is held.
type memory []byte

func (m memory) open() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(m)), nil }
func (m memory) size() int64                  { return int64(len(m)) }

// section is a part of a file.
type section struct {
	file           string
	offset, length int64
}

func (s *section) size() int64 { return s.length }

func (s *section) open() (io.ReadCloser, error) {
	f, err := os.Open(s.file)
	if err != nil {
		return nil, err
	}
	return struct {
		io.Reader
		io.Closer
	}{io.NewSectionReader(f, s.offset, s.length), f}, nil
}

// position counts what was read; archive/tar reads its headers without
// looking ahead, so after Next it is the place of the content.
type position struct {
	r  io.Reader
	at int64
}

func (p *position) Read(b []byte) (int, error) {
	n, err := p.r.Read(b)
	p.at += int64(n)
	return n, err
}
