package oci

import (
	"archive/tar"
	"fmt"
	"io"
	"time"
)

// Epoch is the time of every file in every layer and of every image.
var Epoch = time.Unix(0, 0).UTC()

// Write writes the tree as a tar stream.
func (t *Tree) Write(w io.Writer) error {
	tw := tar.NewWriter(w)
	first := map[*entry]string{}
	for _, name := range t.Names() {
		if err := t.writeEntry(tw, name, first); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return tw.Close()
}

func (t *Tree) writeEntry(tw *tar.Writer, name string, first map[*entry]string) error {
	e := t.entries[name]
	h := e.header
	h.Name = name
	h.ModTime = Epoch
	h.Format = tar.FormatPAX
	if h.Typeflag == tar.TypeDir {
		h.Name += "/"
	}
	if e.content == nil {
		return tw.WriteHeader(&h)
	}
	if target, ok := first[e]; ok {
		h.Typeflag, h.Linkname, h.PAXRecords = tar.TypeLink, target, nil
		return tw.WriteHeader(&h)
	}
	first[e] = name
	h.Size = e.content.size()
	if err := tw.WriteHeader(&h); err != nil {
		return err
	}
	r, err := e.content.open()
	if err != nil {
		return err
	}
	defer r.Close()
	_, err = io.Copy(tw, r)
	return err
}
