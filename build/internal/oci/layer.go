package oci

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// Compression says how a layer is stored.
type Compression string

const (
	// Gzip is understood by every engine. For the layers of node images.
	Gzip Compression = "gzip"
	// GzipFast is gzip for content that is compressed already.
	GzipFast Compression = "gzip-fast"
	// Zstd is smaller and unpacks faster. For images that containerd 2 runs.
	Zstd Compression = "zstd"
	// ZstdSmall is smaller still, and four times slower to make. For content
	// that rarely changes.
	ZstdSmall Compression = "zstd-small"
)

// Layer is a layer in a file. It implements v1.Layer.
type Layer struct {
	// File holds the compressed layer.
	File string
	meta meta
}

// meta is kept beside the layer, so that it need not be read again.
type meta struct {
	DigestHash v1.Hash         `json:"digest"`
	DiffIDHash v1.Hash         `json:"diffID"`
	Compressed int64           `json:"compressed"`
	Unpacked   int64           `json:"unpacked"`
	Type       types.MediaType `json:"mediaType"`
}

// Digest implements v1.Layer.
func (l *Layer) Digest() (v1.Hash, error) { return l.meta.DigestHash, nil }

// DiffID implements v1.Layer.
func (l *Layer) DiffID() (v1.Hash, error) { return l.meta.DiffIDHash, nil }

// Size implements v1.Layer; it is the compressed size in bytes.
func (l *Layer) Size() (int64, error) { return l.meta.Compressed, nil }

// Unpacked is the size of the tar stream in bytes.
func (l *Layer) Unpacked() int64 { return l.meta.Unpacked }

// MediaType implements v1.Layer.
func (l *Layer) MediaType() (types.MediaType, error) { return l.meta.Type, nil }

// Compressed implements v1.Layer.
func (l *Layer) Compressed() (io.ReadCloser, error) { return os.Open(l.File) }

// Uncompressed implements v1.Layer.
func (l *Layer) Uncompressed() (io.ReadCloser, error) {
	f, err := os.Open(l.File)
	if err != nil {
		return nil, err
	}
	if l.meta.Type == types.OCILayerZStd {
		r, err := zstd.NewReader(f)
		if err != nil {
			f.Close()
			return nil, err
		}
		return &both{r.IOReadCloser(), f}, nil
	}
	r, err := gzip.NewReader(f)
	if err != nil {
		f.Close()
		return nil, err
	}
	return &both{r, f}, nil
}

// both closes the decompressor and the file.
type both struct {
	io.ReadCloser
	file *os.File
}

func (b *both) Close() error { return errors.Join(b.ReadCloser.Close(), b.file.Close()) }

// Store keeps layers in a folder, each under a key that stands for everything
// it was made from.
type Store struct {
	// Dir is the folder.
	Dir string
}

// Layer returns the layer with that name and key. It calls fill for the
// content only if the store has none yet. The key must change with the
// content; an older layer of the same name is replaced.
func (s Store) Layer(name, key string, c Compression, fill func(*Tree) error) (*Layer, error) {
	sum := sha256.Sum256([]byte(string(c) + "\n" + key))
	base := filepath.Join(s.Dir, name+"-"+hex.EncodeToString(sum[:8]))
	l := &Layer{File: base + ".tar"}
	data, err := os.ReadFile(base + ".json")
	switch {
	case err == nil:
		if err := json.Unmarshal(data, &l.meta); err == nil && complete(l) {
			return l, nil
		}
	case !errors.Is(err, fs.ErrNotExist):
		return nil, err
	}
	tree := NewTree()
	if err := fill(tree); err != nil {
		return nil, fmt.Errorf("layer %s: %w", name, err)
	}
	if err := os.MkdirAll(s.Dir, 0o755); err != nil {
		return nil, err
	}
	if err := s.forget(name); err != nil {
		return nil, err
	}
	if err := l.write(tree, c); err != nil {
		return nil, fmt.Errorf("layer %s: %w", name, err)
	}
	data, err = json.Marshal(l.meta)
	if err != nil {
		return nil, err
	}
	// Last: a layer without this file does not count.
	return l, os.WriteFile(base+".json", append(data, '\n'), 0o644)
}

// complete reports whether the file of the layer is there with its size.
func complete(l *Layer) bool {
	info, err := os.Stat(l.File)
	return err == nil && info.Size() == l.meta.Compressed
}

// forget removes older layers of that name.
func (s Store) forget(name string) error {
	for _, ending := range []string{".json", ".tar", ".tar.tmp"} {
		old, err := filepath.Glob(filepath.Join(s.Dir, name+"-????????????????"+ending))
		if err != nil {
			return err
		}
		for _, file := range old {
			if err := os.Remove(file); err != nil {
				return err
			}
		}
	}
	return nil
}

// write writes the file of the layer and fills in meta.
func (l *Layer) write(tree *Tree, c Compression) (err error) {
	f, err := os.Create(l.File + ".tmp")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(f.Name())
		}
	}()
	compressed := &sum{w: bufio.NewWriterSize(f, 1<<20), hash: sha256.New()}
	packer, mediaType, err := compressor(compressed, c)
	if err != nil {
		return err
	}
	plain := &sum{w: packer, hash: sha256.New()}
	if err := tree.Write(plain); err != nil {
		return err
	}
	if err := packer.Close(); err != nil {
		return err
	}
	if err := compressed.w.(*bufio.Writer).Flush(); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	l.meta = meta{
		DigestHash: compressed.v1(), DiffIDHash: plain.v1(),
		Compressed: compressed.n, Unpacked: plain.n, Type: mediaType,
	}
	return os.Rename(f.Name(), l.File)
}

func compressor(w io.Writer, c Compression) (io.WriteCloser, types.MediaType, error) {
	switch c {
	case Gzip:
		z, err := gzip.NewWriterLevel(w, 7)
		return z, types.OCILayer, err
	case GzipFast:
		z, err := gzip.NewWriterLevel(w, 1)
		return z, types.OCILayer, err
	case Zstd, ZstdSmall:
		level := zstd.SpeedBetterCompression
		if c == ZstdSmall {
			level = zstd.SpeedBestCompression
		}
		// One goroutine: the result must not depend on the number of cores.
		z, err := zstd.NewWriter(w, zstd.WithEncoderLevel(level), zstd.WithEncoderConcurrency(1))
		return z, types.OCILayerZStd, err
	}
	return nil, "", fmt.Errorf("unknown compression %q", c)
}

// sum counts and hashes what passes through.
type sum struct {
	w    io.Writer
	hash hash.Hash
	n    int64
}

func (s *sum) Write(b []byte) (int, error) {
	n, err := s.w.Write(b)
	s.hash.Write(b[:n])
	s.n += int64(n)
	return n, err
}

func (s *sum) v1() v1.Hash {
	return v1.Hash{Algorithm: "sha256", Hex: hex.EncodeToString(s.hash.Sum(nil))}
}
