package git

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// repo returns a repository with one commit of one file.
func repo(t *testing.T) Repo {
	t.Helper()
	r := Repo{Dir: t.TempDir()}
	run(t, r, "init", "-q", "--template=")
	put(t, r, "pond/duck.txt", "quack\n")
	run(t, r, "add", "-A", ".")
	run(t, r, "commit", "-q", "-m", "duck")
	return r
}

func run(t *testing.T, r Repo, args ...string) string {
	t.Helper()
	out, err := r.Run(context.Background(), args...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func put(t *testing.T, r Repo, p, text string) {
	t.Helper()
	f := filepath.Join(r.Dir, p)
	if err := os.MkdirAll(filepath.Dir(f), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(f, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestCommitsDependOnContentOnly(t *testing.T) {
	a := repo(t)
	t.Setenv("GIT_AUTHOR_DATE", "2020-02-02T02:02:02Z")
	t.Setenv("GIT_COMMITTER_NAME", "Somebody")
	t.Setenv("TZ", "Asia/Tokyo")
	b := repo(t)
	if x, y := run(t, a, "rev-parse", "HEAD"), run(t, b, "rev-parse", "HEAD"); x != y {
		t.Errorf("commits %s and %s", x, y)
	}
}

func TestObjects(t *testing.T) {
	ctx := context.Background()
	r := repo(t)
	head, err := r.Resolve(ctx, "HEAD")
	if err != nil || head == "" {
		t.Fatalf("HEAD = %q, %v", head, err)
	}
	if id, err := r.Resolve(ctx, "refs/heads/nosuch"); err != nil || id != "" {
		t.Errorf("missing ref = %q, %v", id, err)
	}
	index, err := r.NewIndex(ctx, head)
	if err != nil {
		t.Fatal(err)
	}
	defer index.Close()
	put(t, r, "new file", "x\n")
	id, err := r.WriteFile(ctx, filepath.Join(r.Dir, "new file"))
	if err != nil {
		t.Fatal(err)
	}
	if err := index.Set(ctx, map[string]Entry{"a/new\tfile": {Mode: "100755", ID: id}, "pond/duck.txt": {}}); err != nil {
		t.Fatal(err)
	}
	tree, err := index.Tree(ctx)
	if err != nil {
		t.Fatal(err)
	}
	entries, err := r.Entries(ctx, tree)
	if err != nil || len(entries) != 1 || entries["a/new\tfile"] != (Entry{"100755", id}) {
		t.Errorf("entries = %v, %v", entries, err)
	}
	changes, err := r.Changes(ctx, head, tree)
	if err != nil || len(changes) != 2 || changes[0].Path != "a/new\tfile" || changes[0].Old != (Entry{}) || changes[1].New != (Entry{}) {
		t.Errorf("changes = %+v, %v", changes, err)
	}
	commit, err := r.Commit(ctx, tree, head, "subject\n\n# not a comment\n")
	if err != nil {
		t.Fatal(err)
	}
	if m, err := r.Message(ctx, commit); err != nil || m != "subject\n\n# not a comment\n" {
		t.Errorf("message = %q, %v", m, err)
	}
	if got, err := r.Tree(ctx, commit); err != nil || got != tree {
		t.Errorf("tree = %s, %v", got, err)
	}
}

func TestWorkTreeSeesWhatIsNotCommitted(t *testing.T) {
	ctx := context.Background()
	r := repo(t)
	clean, err := r.WorkTree(ctx)
	if err != nil || clean != run(t, r, "rev-parse", "HEAD^{tree}") {
		t.Fatalf("clean tree %s, %v", clean, err)
	}
	put(t, r, "pond/duck.txt", "QUACK\n")
	put(t, r, "pond/swan.txt", "\n")
	dirty, err := r.WorkTree(ctx)
	if err != nil {
		t.Fatal(err)
	}
	entries, err := r.Entries(ctx, dirty)
	if err != nil || len(entries) != 2 {
		t.Errorf("entries = %v, %v", entries, err)
	}
	if status := run(t, r, "status", "--porcelain"); !strings.Contains(status, "?? pond/swan.txt") {
		t.Errorf("the index has changed:\n%s", status)
	}
}

func TestErrorsNameTheCall(t *testing.T) {
	r := repo(t)
	_, err := r.Run(context.Background(), "checkout", "nosuch")
	if err == nil || !strings.Contains(err.Error(), "git -C "+r.Dir+" checkout nosuch: ") || ExitCode(err) != 1 {
		t.Errorf("error %v, code %d", err, ExitCode(err))
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := r.Run(ctx, "status"); err == nil || ExitCode(err) != -1 {
		t.Errorf("cancelled: %v", err)
	}
}
