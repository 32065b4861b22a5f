package scratch

import (
	"context"
	"strings"
	"testing"

	"sidecar-node/build/internal/patchset"
)

func TestGeneratedCodeIsACommitOfItsOwn(t *testing.T) {
	ctx := context.Background()
	s := newToy(t)
	s.series()
	overlayTree := s.git("rev-parse", "HEAD^{tree}")
	// What a generator would write: one file changed, one new and ignored by
	// upstream's rules.
	s.write(".git/info/exclude", "zz_generated.*\n")
	s.edit("pkg/ducks/zz_generated.go", "copies = 1", "copies = 2")
	s.write("pkg/frogs/zz_generated.go", "package frogs\n")
	if err := s.commitGenerated(ctx); err != nil {
		t.Fatal(err)
	}
	s.git("update-ref", AppliedRef, "HEAD")
	if got := s.git("diff-tree", "--name-only", "-r", "HEAD^", "HEAD"); got != "pkg/ducks/zz_generated.go\npkg/frogs/zz_generated.go" {
		t.Errorf("commit holds %q", got)
	}
	if err := s.lockGenerated(ctx, false); err != nil {
		t.Fatal(err)
	}
	lock, err := patchset.ReadTreeLock(s.treeLock())
	if err != nil || lock.Generated != s.git("rev-parse", "HEAD^{tree}") || lock.Overlay != overlayTree {
		t.Errorf("lock %+v, %v", lock, err)
	}
	st, err := s.State(ctx)
	if err != nil || st.Stage != "generated" || st.Work() {
		t.Errorf("state %+v, %v", st, err)
	}
	// Applying the same series keeps the generated code.
	head := s.git("rev-parse", "HEAD")
	s.apply()
	if s.git("rev-parse", "HEAD") != head {
		t.Error("apply took the generated code away")
	}

	// Another series with the same sources takes the result again.
	s.edit("pkg/frogs/frog.go", "6", "8")
	s.commit("fixup! ducks: swim further")
	s.export()
	if got := s.read(s.Repo.Dir + "/pkg/ducks/zz_generated.go"); !strings.Contains(got, "copies = 1") {
		t.Fatalf("after export: %s", got)
	}
	if err := s.take(ctx, head); err != nil {
		t.Fatal(err)
	}
	if got := s.read(s.Repo.Dir + "/pkg/ducks/zz_generated.go"); !strings.Contains(got, "copies = 2") {
		t.Errorf("taken: %s", got)
	}
	if got := s.read(s.Repo.Dir + "/pkg/frogs/frog.go"); !strings.Contains(got, "8") {
		t.Errorf("taking generated code changed another file: %s", got)
	}

	// A tree that is not the one of the lock is refused, once it is locked.
	if err := s.lockGenerated(ctx, false); err != nil {
		t.Fatal(err)
	}
	s.edit("pkg/ducks/zz_generated.go", "copies = 2", "copies = 3")
	if err := s.commitGenerated(ctx); err != nil {
		t.Fatal(err)
	}
	if err := s.lockGenerated(ctx, false); err == nil || !strings.Contains(err.Error(), "--relock") {
		t.Errorf("error %v", err)
	}
	if err := s.lockGenerated(ctx, true); err != nil {
		t.Error(err)
	}

	// Generators that write anything else are stopped.
	s.edit("pkg/frogs/frog.go", "8", "9")
	if err := s.commitGenerated(ctx); err == nil || !strings.Contains(err.Error(), "pkg/frogs/frog.go") {
		t.Errorf("error %v", err)
	}
}
