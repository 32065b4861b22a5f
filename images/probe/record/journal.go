package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// FileName is the name of the journal in its folder.
const FileName = "journal.jsonl"

// Identity says who writes.
type Identity struct {
	Pod       string
	UID       string
	Container string
}

// Journal appends the records of one process.
type Journal struct {
	dir  string
	id   Identity
	echo io.Writer

	mu    sync.Mutex
	run   int
	seq   int64
	alive *os.File
}

// Open returns a journal that appends to the file in dir and repeats every
// line on echo. With an empty dir it only writes to echo and counts for
// itself.
func Open(dir string, id Identity, echo io.Writer) *Journal {
	return &Journal{dir: dir, id: id, echo: echo, run: 1}
}

// Start appends the Start record and returns the number of this run. From here
// on the other writers notice when this process dies.
func (j *Journal) Start(note string) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	err := j.append(Record{Event: Start, Note: note}, func(old []Record) error {
		j.run = 1 + j.starts(old)
		f, err := holdAlive(j.dir, j.id, j.run)
		j.alive = f
		return err
	})
	return j.run, err
}

// Attach takes over the run number of the container's running process; a hook
// calls it before its first record.
func (j *Journal) Attach() error {
	if j.dir == "" {
		return nil
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.locked(func(_ *os.File, old []Record) error {
		// A postStart hook may be faster than the process that it belongs to.
		j.run = max(1, j.starts(old))
		return nil
	})
}

// Append writes r; Event and what belongs to it are the caller's, the rest is
// filled in here.
func (j *Journal) Append(r Record) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.append(r, nil)
}

func (j *Journal) starts(records []Record) int {
	n := 0
	for _, r := range records {
		if r.Event == Start && r.Container == j.id.Container && r.Pod == j.id.Pod && r.UID == j.id.UID {
			n++
		}
	}
	return n
}

// append needs j.mu. The function first runs under the lock of the file,
// before the record is made.
func (j *Journal) append(r Record, first func([]Record) error) error {
	fill := func(r Record, seq int64) Record {
		r.Seq, r.Mono, r.Wall = seq, monotonic(), time.Now().UTC()
		return r
	}
	if j.dir == "" {
		j.seq++
		r.Pod, r.UID, r.Container, r.Run = j.id.Pod, j.id.UID, j.id.Container, j.run
		return j.print(fill(r, j.seq))
	}
	return j.locked(func(f *os.File, old []Record) error {
		gone, err := sweep(j.dir, old)
		if err != nil {
			return err
		}
		if first != nil {
			if err := first(old); err != nil {
				return err
			}
		}
		r.Pod, r.UID, r.Container, r.Run = j.id.Pod, j.id.UID, j.id.Container, j.run
		seq := lastSeq(old)
		var text bytes.Buffer
		for _, g := range append(gone, r) {
			seq++
			r = fill(g, seq)
			if err := json.NewEncoder(&text).Encode(r); err != nil {
				return err
			}
		}
		// One write, so that a kill leaves all of it or nothing.
		if _, err := f.Write(text.Bytes()); err != nil {
			return err
		}
		return j.print(r)
	})
}

func (j *Journal) print(r Record) error {
	if j.echo == nil {
		return nil
	}
	return json.NewEncoder(j.echo).Encode(r)
}

// locked runs do while no other process can read or write the journal.
func (j *Journal) locked(do func(f *os.File, old []Record) error) error {
	return withJournal(j.dir, do)
}

func withJournal(dir string, do func(f *os.File, old []Record) error) error {
	name := filepath.Join(dir, FileName)
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o666)
	if err != nil {
		return fmt.Errorf("opening the journal: %w", err)
	}
	defer f.Close()
	if err := flock(f, unix.LOCK_EX); err != nil {
		return fmt.Errorf("locking %s: %w", name, err)
	}
	data, err := io.ReadAll(f)
	if err != nil {
		return fmt.Errorf("reading %s: %w", name, err)
	}
	// A line without its end is what a writer left that was killed; drop it.
	if whole := bytes.LastIndexByte(data, '\n') + 1; whole < len(data) {
		if err := f.Truncate(int64(whole)); err != nil {
			return fmt.Errorf("mending %s: %w", name, err)
		}
		data = data[:whole]
	}
	old, err := Parse(bytes.NewReader(data))
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if err := do(f, old); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

func lastSeq(records []Record) int64 {
	if len(records) == 0 {
		return 0
	}
	return records[len(records)-1].Seq
}

// Read returns the records of the journal in dir, after it has written down
// the processes that died without a word. A folder without a journal has no
// records.
func Read(dir string) ([]Record, error) {
	if _, err := os.Stat(filepath.Join(dir, FileName)); errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	var records []Record
	err := withJournal(dir, func(f *os.File, old []Record) error {
		gone, err := sweep(dir, old)
		if err != nil {
			return err
		}
		records = old
		var text bytes.Buffer
		for _, g := range gone {
			g.Seq, g.Mono, g.Wall = lastSeq(records)+1, monotonic(), time.Now().UTC()
			if err := json.NewEncoder(&text).Encode(g); err != nil {
				return err
			}
			records = append(records, g)
		}
		_, err = f.Write(text.Bytes())
		return err
	})
	return records, err
}

// monotonic is the time since boot, time asleep included.
func monotonic() int64 {
	var ts unix.Timespec
	if unix.ClockGettime(unix.CLOCK_BOOTTIME, &ts) != nil {
		return 0
	}
	return ts.Nano()
}
