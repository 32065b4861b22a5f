package record

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/sys/unix"
)

// A killed process writes nothing, and what the kubelet does next may be in
// the journal before anyone has noticed. So every process holds a lock on a
// file of its own for as long as it lives; the kernel lets go of it at death,
// and each writer first looks for locks that nobody holds any more.

const aliveDir = "alive"

// owner is the content of a lifetime file.
type owner struct {
	Pod       string `json:"pod"`
	UID       string `json:"uid"`
	Container string `json:"container"`
	Run       int    `json:"run"`
}

// holdAlive creates and locks the lifetime file of a run. The caller holds the
// lock of the journal.
func holdAlive(dir string, id Identity, run int) (*os.File, error) {
	folder := filepath.Join(dir, aliveDir)
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return nil, err
	}
	// Containers of one pod may run as different users.
	_ = os.Chmod(folder, 0o777)
	f, err := os.CreateTemp(folder, id.Container+"-")
	if err != nil {
		return nil, err
	}
	if err := os.Chmod(f.Name(), 0o666); err != nil {
		return nil, err
	}
	if err := flock(f, unix.LOCK_EX); err != nil {
		return nil, err
	}
	return f, json.NewEncoder(f).Encode(owner{id.Pod, id.UID, id.Container, run})
}

// sweep removes the lifetime files of the dead and returns a Gone record,
// without number and time, for each that has no Exit in records. The caller
// holds the lock of the journal.
func sweep(dir string, records []Record) ([]Record, error) {
	names, err := os.ReadDir(filepath.Join(dir, aliveDir))
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var gone []Record
	for _, n := range names {
		name := filepath.Join(dir, aliveDir, n.Name())
		o, dead, err := inspect(name)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if !dead {
			continue
		}
		if err := os.Remove(name); err != nil {
			return nil, err
		}
		said := func(e Event) bool {
			return slices.ContainsFunc(records, func(r Record) bool {
				return r.Event == e && r.Pod == o.Pod && r.UID == o.UID && r.Container == o.Container && r.Run == o.Run
			})
		}
		if said(Start) && !said(Exit) {
			gone = append(gone, Record{Event: Gone, Pod: o.Pod, UID: o.UID, Container: o.Container, Run: o.Run})
		}
	}
	return gone, nil
}

// Notice writes Gone records for processes that have died since the last look.
// Whoever calls it often makes the times of these records right; their order
// is right without it.
func Notice(dir string) error {
	names, err := os.ReadDir(filepath.Join(dir, aliveDir))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, n := range names {
		// Without the lock of the journal this is only a hint; Read looks again.
		if _, dead, err := inspect(filepath.Join(dir, aliveDir, n.Name())); err == nil && dead {
			_, err := Read(dir)
			return err
		}
	}
	return nil
}

// inspect reads a lifetime file and tells whether nobody holds it.
func inspect(name string) (o owner, dead bool, err error) {
	f, err := os.Open(name)
	if err != nil {
		return o, false, err
	}
	defer f.Close()
	switch err := flock(f, unix.LOCK_SH|unix.LOCK_NB); {
	case errors.Is(err, unix.EWOULDBLOCK):
		return o, false, nil
	case err != nil:
		return o, false, err
	}
	// A file without content belongs to a process that died while it started.
	data, err := os.ReadFile(name)
	if err != nil || len(data) == 0 {
		return o, true, err
	}
	return o, true, json.Unmarshal(data, &o)
}

func flock(f *os.File, how int) error {
	for {
		if err := unix.Flock(int(f.Fd()), how); !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}
