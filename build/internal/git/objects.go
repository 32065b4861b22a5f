package git

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Entry is a file in a tree.
type Entry struct {
	// Mode is the octal mode, such as 100644.
	Mode string
	// ID is the blob id.
	ID string
}

// Zero is the id that git writes for a file that does not exist.
const Zero = "0000000000000000000000000000000000000000"

// Entries returns all files of a tree or commit, by path.
func (r Repo) Entries(ctx context.Context, treeish string) (map[string]Entry, error) {
	out, err := r.Do(ctx, Call{Args: []string{"ls-tree", "-r", "-z", "--full-tree", treeish}})
	if err != nil {
		return nil, err
	}
	entries := map[string]Entry{}
	for rec := range strings.SplitSeq(string(out), "\x00") {
		if rec == "" {
			continue
		}
		meta, path, ok := strings.Cut(rec, "\t")
		f := strings.Fields(meta)
		if !ok || len(f) != 3 {
			return nil, fmt.Errorf("git ls-tree: cannot read %q", rec)
		}
		entries[path] = Entry{Mode: f[0], ID: f[2]}
	}
	return entries, nil
}

// Change is one file that differs between two trees. The entry of a side on
// which the file does not exist is empty.
type Change struct {
	Path     string
	Old, New Entry
}

// Changes returns the files that differ between two trees or commits, sorted
// by path. Renames count as a deletion and an addition.
func (r Repo) Changes(ctx context.Context, from, to string) ([]Change, error) {
	out, err := r.Do(ctx, Call{Args: []string{"diff-tree", "-r", "-z", "--raw", "--no-abbrev", "--no-renames", from, to}})
	if err != nil {
		return nil, err
	}
	var changes []Change
	fields := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	for i := 0; i+1 < len(fields); i += 2 {
		f := strings.Fields(strings.TrimPrefix(fields[i], ":"))
		if len(f) != 5 {
			return nil, fmt.Errorf("git diff-tree: cannot read %q", fields[i])
		}
		c := Change{Path: fields[i+1]}
		if f[2] != Zero {
			c.Old = Entry{f[0], f[2]}
		}
		if f[3] != Zero {
			c.New = Entry{f[1], f[3]}
		}
		changes = append(changes, c)
	}
	return changes, nil
}

// Tree returns the id of the tree of a commit.
func (r Repo) Tree(ctx context.Context, commit string) (string, error) {
	return r.Run(ctx, "rev-parse", "--verify", "-q", commit+"^{tree}")
}

// Resolve returns the id of a commit, or "" if there is no such revision.
func (r Repo) Resolve(ctx context.Context, rev string) (string, error) {
	id, err := r.Run(ctx, "rev-parse", "--verify", "-q", rev+"^{commit}")
	if ExitCode(err) == 1 {
		return "", nil
	}
	return id, err
}

// Message returns the message of a commit as it was written.
func (r Repo) Message(ctx context.Context, commit string) (string, error) {
	out, err := r.Do(ctx, Call{Args: []string{"cat-file", "commit", commit}})
	if err != nil {
		return "", err
	}
	_, message, _ := bytes.Cut(out, []byte("\n\n"))
	return string(message), nil
}

// Commit writes a commit of a tree and returns its id. An empty parent makes
// a root commit.
func (r Repo) Commit(ctx context.Context, tree, parent, message string) (string, error) {
	args := []string{"commit-tree", tree}
	if parent != "" {
		args = append(args, "-p", parent)
	}
	out, err := r.Do(ctx, Call{Args: args, Stdin: []byte(message)})
	return strings.TrimSpace(string(out)), err
}

// Index is an index file beside the repository's own, to make trees without
// touching the working tree.
type Index struct {
	repo Repo
	dir  string
}

// NewIndex returns an index that holds a tree. Close removes it.
func (r Repo) NewIndex(ctx context.Context, treeish string) (*Index, error) {
	dir, err := os.MkdirTemp("", "sidecarctl-index-")
	if err != nil {
		return nil, err
	}
	i := &Index{r, dir}
	if _, err := i.do(ctx, nil, "read-tree", treeish); err != nil {
		i.Close()
		return nil, err
	}
	return i, nil
}

// Close removes the index file.
func (i *Index) Close() { os.RemoveAll(i.dir) }

func (i *Index) do(ctx context.Context, stdin []byte, args ...string) ([]byte, error) {
	return i.repo.Do(ctx, Call{Args: args, Stdin: stdin, Index: filepath.Join(i.dir, "index")})
}

// Apply applies a diff to the index. Every line of context must match; there
// is no fuzz.
func (i *Index) Apply(ctx context.Context, diff []byte) error {
	_, err := i.do(ctx, diff, "apply", "--cached", "--whitespace=nowarn", "-p1", "-")
	return err
}

// Set puts entries into the index; an empty entry removes the path.
func (i *Index) Set(ctx context.Context, entries map[string]Entry) error {
	if len(entries) == 0 {
		return nil
	}
	var b bytes.Buffer
	for path, e := range entries {
		if e.ID == "" {
			fmt.Fprintf(&b, "0 %s\t%s\x00", Zero, path)
		} else {
			fmt.Fprintf(&b, "%s %s 0\t%s\x00", e.Mode, e.ID, path)
		}
	}
	_, err := i.do(ctx, b.Bytes(), "update-index", "-z", "--index-info")
	return err
}

// Tree writes the tree of the index and returns its id.
func (i *Index) Tree(ctx context.Context) (string, error) {
	out, err := i.do(ctx, nil, "write-tree")
	return strings.TrimSpace(string(out)), err
}

// WriteFile stores a file as a blob, byte for byte, and returns its id.
func (r Repo) WriteFile(ctx context.Context, file string) (string, error) {
	return r.Run(ctx, "hash-object", "-w", "--no-filters", "--", file)
}

// Blob returns the content of a blob.
func (r Repo) Blob(ctx context.Context, id string) ([]byte, error) {
	return r.Do(ctx, Call{Args: []string{"cat-file", "blob", id}})
}
