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
	target.NoSync = true
	err = source.View(func(from *bbolt.Tx) error {
		return from.ForEach(func(name []byte, b *bbolt.Bucket) error {
			return copyBucket(target, [][]byte{name}, b, fixed)
		})
	})
	err = errors.Join(err, target.Sync())
	if err := errors.Join(err, target.Close()); err != nil {
		os.Remove(tmp)
		return fmt.Errorf("rewrite %s: %w", file, err)
	}
	return os.Rename(tmp, file)
}

// copyBucket copies the bucket at that path in transactions that each touch
// one bucket only: bbolt gives pages to the changed buckets of a transaction in
// random order.
func copyBucket(target *bbolt.DB, path [][]byte, from *bbolt.Bucket, fixed []byte) error {
	err := target.Update(func(tx *bbolt.Tx) error {
		to, err := tx.CreateBucketIfNotExists(path[0])
		for _, name := range path[1:] {
			if err != nil {
				return err
			}
			to, err = to.CreateBucketIfNotExists(name)
		}
		if err != nil {
			return err
		}
		if err := to.SetSequence(from.Sequence()); err != nil {
			return err
		}
		return from.ForEach(func(k, v []byte) error {
			if v == nil {
				return nil
			}
			if slices.Contains(timeKeys, string(k)) {
				v = fixed
			}
			return to.Put(k, v)
		})
	})
	if err != nil {
		return err
	}
	return from.ForEachBucket(func(k []byte) error {
		return copyBucket(target, append(slices.Clone(path), k), from.Bucket(k), fixed)
	})
}
