package preload

import (
	"errors"
	"fmt"
	"os"
	"slices"

	"go.etcd.io/bbolt"

	"sidecar-node/build/internal/oci"
)

// timeKeys are the names under which containerd's metadata keeps times.
var timeKeys = []string{"createdat", "updatedat"}

// normalize rewrites the database so that it depends on nothing but the
// images: containerd stamps records with the time of day, and the places of
// pages in the file depend on the order of the writes.
func normalize(file string) (err error) {
	fixed, err := oci.Epoch.MarshalBinary()
	if err != nil {
		return err
	}
	source, err := bbolt.Open(file, 0o644, &bbolt.Options{ReadOnly: true})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, source.Close()) }()
	tmp := file + ".tmp"
	target, err := bbolt.Open(tmp, 0o644, nil)
	if err != nil {
		return err
	}
	err = target.Update(func(to *bbolt.Tx) error {
		return source.View(func(from *bbolt.Tx) error {
			return from.ForEach(func(name []byte, b *bbolt.Bucket) error {
				copied, err := to.CreateBucket(name)
				if err != nil {
					return err
				}
				return copyBucket(copied, b, fixed)
			})
		})
	})
	if err := errors.Join(err, target.Close()); err != nil {
		os.Remove(tmp)
		return fmt.Errorf("rewrite %s: %w", file, err)
	}
	return os.Rename(tmp, file)
}

func copyBucket(to, from *bbolt.Bucket, fixed []byte) error {
	if err := to.SetSequence(from.Sequence()); err != nil {
		return err
	}
	return from.ForEach(func(k, v []byte) error {
		if v == nil {
			child, err := to.CreateBucket(k)
			if err != nil {
				return err
			}
			return copyBucket(child, from.Bucket(k), fixed)
		}
		if slices.Contains(timeKeys, string(k)) {
			v = fixed
		}
		return to.Put(k, v)
	})
}
