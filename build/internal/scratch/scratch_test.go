package scratch

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sidecar-node/build/internal/git"
	"sidecar-node/build/internal/overlay"
	"sidecar-node/build/internal/patchset"
)

// hostile is a user configuration that changes everything about a diff.
const hostile = `[user]
	name = Somebody Else
	signingKey = nobody
[core]
	autocrlf = true
	abbrev = 5
	quotePath = true
	hooksPath = %HOOKS%
	attributesFile = %HOME%/attributes
	excludesFile = %HOME%/excludes
[diff]
	context = 9
	interHunkContext = 30
	noprefix = true
	mnemonicPrefix = true
	renames = copies
	algorithm = patience
	indentHeuristic = false
	external = /bin/false
	suppressBlankEmpty = true
	orderFile = %HOME%/order
	colorMoved = zebra
[diff "golang"]
	textconv = tr a-z A-Z
[color]
	ui = always
	diff = always
[commit]
	gpgSign = true
[format]
	signature = hello
[apply]
	whitespace = fix
	ignoreWhitespace = change
[rebase]
	autoSquash = false
	updateRefs = true
	missingCommitsCheck = error
[merge]
	ff = false
	conflictStyle = zdiff3
[status]
	showUntrackedFiles = no
	short = true
[log]
	showSignature = true
[i18n]
	logOutputEncoding = UTF-16
`

// harden puts a hostile configuration in the home folder and environment.
func harden(t *testing.T, home string) {
	t.Helper()
	hooks := filepath.Join(home, "hooks")
	write := func(p, text string, mode os.FileMode) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
	for _, h := range []string{"post-checkout", "pre-commit", "post-rewrite", "pre-rebase"} {
		write(filepath.Join(hooks, h), "#!/bin/sh\nexit 1\n", 0o755)
	}
	write(filepath.Join(home, "order"), "pkg/frogs/*\n*\n", 0o644)
	write(filepath.Join(home, "attributes"), "*.go diff=golang text eol=crlf\n", 0o644)
	write(filepath.Join(home, "excludes"), "extra.go\n*.new\n", 0o644)
	text := strings.NewReplacer("%HOOKS%", hooks, "%HOME%", home).Replace(hostile)
	write(filepath.Join(home, ".gitconfig"), text, 0o644)
	t.Setenv("GIT_CONFIG_GLOBAL", filepath.Join(home, ".gitconfig"))
	t.Setenv("GIT_DIFF_OPTS", "--unified=20")
	t.Setenv("GIT_EXTERNAL_DIFF", "/bin/false")
	t.Setenv("GIT_DIR", "/nowhere")
	t.Setenv("GIT_AUTHOR_NAME", "Somebody Else")
	t.Setenv("LC_ALL", "de_DE.UTF-8")
}

func TestExportSplitsPatchesAndOverlay(t *testing.T) {
	s := newToy(t)
	s.series()
	loud := s.read(filepath.Join(s.Patches, "0100-ducks-loud.patch"))
	for _, want := range []string{
		"ducks: be louder\n\nThe pond needs it.\n\nClass: carry\n",
		"Patch: 0100-ducks-loud\n---\ndiff --git a/pkg/ducks/duck.go b/pkg/ducks/duck.go\nindex ",
		"\n-\treturn \"quack\"\n+\treturn \"QUACK\"\n",
	} {
		if !strings.Contains(loud, want) {
			t.Errorf("patch lacks %q:\n%s", want, loud)
		}
	}
	if n := strings.Count(loud, "\n "); n != 2 {
		t.Errorf("%d lines of context, want 2:\n%s", n, loud)
	}
	swim := s.read(filepath.Join(s.Patches, "0200-ducks-swim.patch"))
	if strings.Contains(swim, "extra.go") || !strings.Contains(swim, "pkg/frogs/frog.go") {
		t.Errorf("patch holds the wrong files:\n%s", swim)
	}
	if got := s.read(filepath.Join(s.Patches, "series")); got != "0100-ducks-loud\n0200-ducks-swim\n" {
		t.Errorf("series = %q", got)
	}
	if got := s.read(filepath.Join(s.Staging, "k8s.io/kubernetes/pkg/ducks/extra.go")); !strings.Contains(got, "func extra") {
		t.Errorf("overlay file = %q", got)
	}
	s.read(filepath.Join(s.Staging, "k8s.io/reed/b.go"))
	if got := s.read(filepath.Join(s.Patches, "upstream.lock")); got != "kept\n" {
		t.Errorf("upstream.lock = %q", got)
	}
	readme := s.read(filepath.Join(s.Patches, "README.md"))
	if !strings.Contains(readme, "| [0200-ducks-swim](0200-ducks-swim.patch) | ducks: swim further | carry | Pond | none | nothing | never | 2 | +2 -2 |") {
		t.Errorf("README.md lacks the row:\n%s", readme)
	}
	lock, err := patchset.ReadTreeLock(s.treeLock())
	if err != nil {
		t.Fatal(err)
	}
	if len(lock.Patches) != 2 || lock.Overlay != s.git("rev-parse", "HEAD^{tree}") || lock.Pristine != s.git("rev-parse", PristineRef+"^{tree}") {
		t.Errorf("tree.lock = %+v", lock)
	}
	if err := s.CheckExport(context.Background()); err != nil {
		t.Error(err)
	}
}

func TestHostileConfigurationChangesNothing(t *testing.T) {
	plain := newToy(t)
	plain.series()
	want := plain.snapshot()
	head := plain.git("rev-parse", "HEAD")

	s := newToy(t)
	s.series()
	harden(t, os.Getenv("HOME"))
	if err := s.CheckExport(context.Background()); err != nil {
		t.Errorf("round trip: %v", err)
	}
	// Again from nothing: apply what the plain one has exported.
	s.git("update-ref", "refs/sidecar/known", "HEAD")
	s.git("checkout", "-q", "--detach", PristineRef)
	for _, ref := range []string{patchedRef, overlayRef, AppliedRef} {
		s.git("update-ref", "-d", ref)
	}
	s.apply()
	if got := s.git("rev-parse", "HEAD"); got != head {
		t.Errorf("commit %s, want %s", got, head)
	}
	if st := s.git("status", "--porcelain"); st != "" {
		t.Errorf("working tree:\n%s", st)
	}
	// And export a fixup, which runs a rebase.
	s.edit("pkg/frogs/frog.go", "6", "8")
	s.git("commit", "-q", "-a", "-m", "fixup! ducks: swim further")
	if err := s.Export(context.Background(), Source{}); err != nil {
		t.Fatal(err)
	}
	s.apply()
	got := s.snapshot()
	if got["patches/0100-ducks-loud.patch"] != want["patches/0100-ducks-loud.patch"] {
		t.Error("a patch that was not touched has changed")
	}
	if !strings.Contains(got["patches/0200-ducks-swim.patch"], "\n+const Legs = 8\n") {
		t.Errorf("fixup is not in the patch:\n%s", got["patches/0200-ducks-swim.patch"])
	}
}

func TestFixupsGoWhereTheyBelong(t *testing.T) {
	s := newToy(t)
	s.series()
	before := s.snapshot()
	s.edit("pkg/ducks/duck.go", "QUACK", "QUACK QUACK")
	s.commit("fixup! ducks: be louder")
	s.edit("pkg/ducks/extra.go", "return 1", "return 2")
	s.commit("a change of the overlay, in a commit with any message")
	s.edit("pkg/ducks/zz_generated.go", "copies = 1", "copies = 2")
	s.commit("generated code goes nowhere")
	s.export()
	after := s.snapshot()
	if !strings.Contains(after["patches/0100-ducks-loud.patch"], "QUACK QUACK") {
		t.Error("the fixup is not in its patch")
	}
	if !strings.Contains(after["staging/k8s.io/kubernetes/pkg/ducks/extra.go"], "return 2") {
		t.Error("the change of the overlay is not in staging/")
	}
	for p, v := range after {
		if strings.Contains(v, "copies = 2") {
			t.Errorf("generated code in %s", p)
		}
	}
	// The second patch changes the same file, so its pins move, but not its
	// changes.
	if before["patches/0200-ducks-swim.patch"] == after["patches/0200-ducks-swim.patch"] {
		t.Error("the pins of the second patch have not moved")
	}
	// What is exported is applied: nothing is left to do.
	st, err := s.State(context.Background())
	if err != nil || st.Work() || st.Stage != "applied" {
		t.Errorf("state = %+v, %v", st, err)
	}
}

func TestExportKeepsUntouchedBytes(t *testing.T) {
	s := newToy(t)
	s.series()
	file := filepath.Join(s.Patches, "0200-ducks-swim.patch")
	// Another git might choose another function for the hunk's title.
	other := strings.Replace(s.read(file), "@@ func Sound() string {", "@@", 1)
	if other == s.read(file) {
		t.Fatalf("no title to change in\n%s", other)
	}
	s.put(file, other)
	s.put(filepath.Join(s.Patches, "series"), "# loud ones\n0100-ducks-loud\n\n# fast ones\n0200-ducks-swim\n# end\n")
	s.apply()
	s.edit("pkg/frogs/old.go", "true", "false")
	s.commit(header("frogs: drop the tail", "0300-frogs-tail"))
	s.export()
	if got := s.read(file); got != other {
		t.Errorf("bytes changed:\n%s", got)
	}
	if got := s.read(filepath.Join(s.Patches, "series")); got != "# loud ones\n0100-ducks-loud\n\n# fast ones\n0200-ducks-swim\n0300-frogs-tail\n# end\n" {
		t.Errorf("series = %q", got)
	}
}

func TestDeletionAndModeRoundTrip(t *testing.T) {
	s := newToy(t)
	s.apply()
	if err := os.Remove(filepath.Join(s.Repo.Dir, "pkg/frogs/old.go")); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Join(s.Repo.Dir, "hack/run.sh"), 0o755); err != nil {
		t.Fatal(err)
	}
	s.edit("crlf.txt", "two", "three")
	s.write("hack/own.sh", "#!/bin/sh\n")
	if err := os.Chmod(filepath.Join(s.Repo.Dir, "hack/own.sh"), 0o755); err != nil {
		t.Fatal(err)
	}
	s.commit(header("frogs: no more old ones", "0100-frogs-old"))
	err := s.Export(context.Background(), Source{})
	if err == nil || !strings.Contains(err.Error(), "ends in blanks") {
		t.Fatalf("a carriage return at the end of an added line: %v", err)
	}
	s.write("crlf.txt", pond["crlf.txt"])
	s.commit("fixup! frogs: no more old ones")
	s.export()
	if err := s.CheckExport(context.Background()); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(s.Repo.Dir, "pkg/frogs/old.go")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("old.go is back: %v", err)
	}
	info, err := os.Stat(filepath.Join(s.Staging, "k8s.io/kubernetes/hack/own.sh"))
	if err != nil || info.Mode()&0o111 == 0 {
		t.Errorf("overlay lost the execute bit: %v, %v", info, err)
	}
}

func TestApplyRefusesAnotherVersionOfAFile(t *testing.T) {
	s := newToy(t)
	s.series()
	before := s.git("rev-parse", "HEAD")
	file := filepath.Join(s.Patches, "0200-ducks-swim.patch")
	patch := s.read(file)
	at := strings.Index(patch, "index ") + len("index ")
	s.put(file, patch[:at]+strings.Repeat("1", 40)+patch[at+40:])
	err := s.Apply(context.Background(), false)
	var mismatch *patchset.MismatchError
	if !errors.As(err, &mismatch) {
		t.Fatalf("error %v", err)
	}
	if mismatch.Patch != "0200-ducks-swim" || mismatch.File != "pkg/ducks/duck.go" || mismatch.Want != strings.Repeat("1", 40) || mismatch.Found != patch[at:at+40] {
		t.Errorf("%+v", mismatch)
	}
	for _, want := range []string{mismatch.Want, mismatch.Found, "0200-ducks-swim.patch", "nothing has been changed", "git log -p"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("error does not say %q: %v", want, err)
		}
	}
	if s.git("rev-parse", "HEAD") != before || s.git("status", "--porcelain") != "" {
		t.Error("the scratch repository changed")
	}
}

func TestApplyRefusesAHunkInAnotherPlace(t *testing.T) {
	s := newToy(t)
	s.series()
	file := filepath.Join(s.Patches, "0100-ducks-loud.patch")
	// The context would fit somewhere else, but the result is pinned.
	s.put(file, strings.Replace(s.read(file), "QUACK", "HONK", 1))
	err := s.Apply(context.Background(), false)
	if err == nil || !strings.Contains(err.Error(), "0100-ducks-loud.patch is damaged") {
		t.Errorf("error %v", err)
	}
}

func TestApplyComparesWithTheLock(t *testing.T) {
	s := newToy(t)
	s.series()
	s.put(filepath.Join(s.Staging, "k8s.io/kubernetes/pkg/ducks/extra.go"), "package ducks\n\nfunc extra() int { return 9 }\n")
	err := s.Apply(context.Background(), false)
	var tree *patchset.TreeError
	if !errors.As(err, &tree) || tree.Step != "overlay" || !strings.Contains(err.Error(), "apply --relock") {
		t.Fatalf("error %v", err)
	}
	if err := s.Apply(context.Background(), true); err != nil {
		t.Fatal(err)
	}
	s.apply()
	if got := s.read(filepath.Join(s.Repo.Dir, "pkg/ducks/extra.go")); !strings.Contains(got, "return 9") {
		t.Errorf("tree has %q", got)
	}
}

func TestOverlayNeverReplacesUpstream(t *testing.T) {
	s := newToy(t)
	s.series()
	s.put(filepath.Join(s.Staging, "k8s.io/kubernetes/pkg/frogs/frog.go"), "package frogs\n")
	err := s.Apply(context.Background(), true)
	var collision *overlay.CollisionError
	if !errors.As(err, &collision) {
		t.Fatalf("error %v", err)
	}
	if err := os.Remove(filepath.Join(s.Staging, "k8s.io/kubernetes/pkg/frogs/frog.go")); err != nil {
		t.Fatal(err)
	}
	s.put(filepath.Join(s.Staging, "k8s.io/kubernetes/pkg/frogs/zz_generated.x.go"), "package frogs\n")
	if err := s.Apply(context.Background(), true); err == nil || !strings.Contains(err.Error(), "generated") {
		t.Errorf("generated file in the overlay: %v", err)
	}
}

func TestWorkIsNeverThrownAway(t *testing.T) {
	for name, work := range map[string]func(s *toy){
		"commit":         func(s *toy) { s.edit("pkg/frogs/frog.go", "6", "7"); s.commit("some work") },
		"change":         func(s *toy) { s.edit("pkg/frogs/frog.go", "6", "7") },
		"new file":       func(s *toy) { s.write("pkg/frogs/new.go", "package frogs\n") },
		"rebased series": func(s *toy) { s.git("commit", "-q", "--amend", "-m", "another message") },
	} {
		t.Run(name, func(t *testing.T) {
			s := newToy(t)
			s.series()
			work(s)
			head, status := s.git("rev-parse", "HEAD"), s.git("status", "--porcelain")
			var lost *WorkError
			if err := s.Apply(context.Background(), false); !errors.As(err, &lost) {
				t.Fatalf("apply: %v", err)
			} else if !strings.Contains(err.Error(), "sidecarctl export") || !strings.Contains(err.Error(), "reset --hard") {
				t.Errorf("error names no command: %v", err)
			}
			if err := s.Export(context.Background(), Source{Dir: s.Repo.Dir, Base: PristineRef, Tip: "HEAD"}); !errors.As(err, &lost) {
				t.Errorf("import over it: %v", err)
			}
			if s.git("rev-parse", "HEAD") != head || s.git("status", "--porcelain") != status {
				t.Error("the work changed")
			}
		})
	}
}

func TestLeftoversOfAGenerationAreNobodysWork(t *testing.T) {
	s := newToy(t)
	s.series()
	leave := func() {
		s.edit("pkg/ducks/zz_generated.go", "copies = 1", "copies = 2")
		s.write("pkg/frogs/zz_generated.go", "package frogs\n")
	}
	leave()
	s.apply()
	if st := s.git("status", "--porcelain"); st != "" {
		t.Errorf("after apply:\n%s", st)
	}
	leave()
	if err := s.Export(context.Background(), Source{}); err != nil {
		t.Error(err)
	}
	// Beside them, work is still work.
	s.write("pkg/frogs/new.go", "package frogs\n")
	var lost *WorkError
	if err := s.Apply(context.Background(), false); !errors.As(err, &lost) {
		t.Errorf("error %v", err)
	}
}

func TestExportRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		do   func(s *toy)
		want string
	}{
		"uncommitted changes": {func(s *toy) { s.edit("pkg/frogs/frog.go", "6", "7") }, "only commits are exported"},
		"empty series":        {func(s *toy) { s.git("reset", "-q", "--hard", PristineRef) }, "empty series"},
		"commit without header": {func(s *toy) {
			s.edit("pkg/frogs/frog.go", "6", "7")
			s.commit("a change of upstream")
		}, "fixup!"},
		"incomplete header": {func(s *toy) {
			s.edit("pkg/frogs/frog.go", "6", "7")
			s.commit("frogs: hop\n\nPatch: 0300-frogs-hop")
		}, "Drop-When"},
		"two with one name": {func(s *toy) {
			s.edit("pkg/frogs/frog.go", "6", "7")
			s.commit(header("frogs: hop", "0200-ducks-swim"))
		}, "two commits have the trailer"},
		"wrong order": {func(s *toy) {
			s.edit("pkg/frogs/frog.go", "6", "7")
			s.commit(header("frogs: hop", "0150-frogs-hop"))
		}, "stands below"},
		"patch without upstream file": {func(s *toy) {
			s.write("pkg/frogs/new.go", "package frogs\n")
			s.commit(header("frogs: hop", "0300-frogs-hop"))
		}, "changes no file of upstream"},
		"dependency": {func(s *toy) {
			s.edit("go.mod", "pond", "lake")
			s.commit(header("pond: become a lake", "0300-pond-lake"))
		}, "depends on"},
		"trailing blank": {func(s *toy) {
			s.edit("pkg/frogs/frog.go", "6", "6 ")
			s.commit(header("frogs: hop", "0300-frogs-hop"))
		}, "ends in blanks"},
		"binary": {func(s *toy) {
			s.write("hack/run.sh", "\x00\x01")
			s.commit(header("hack: be binary", "0300-hack-binary"))
		}, "binary"},
		"merge": {func(s *toy) {
			s.git("checkout", "-q", "-b", "side", PristineRef)
			s.git("commit", "-q", "--allow-empty", "-m", "side")
			s.git("checkout", "-q", branch)
			s.git("merge", "-q", "--no-edit", "side")
		}, "merge"},
		"fixup of nothing": {func(s *toy) {
			s.edit("pkg/frogs/frog.go", "6", "7")
			s.commit("fixup! no such commit")
		}, "names no commit"},
		"fixup that does not fit": {func(s *toy) {
			s.edit("pkg/ducks/duck.go", "return n + extra()", "return extra()")
			s.commit("fixup! ducks: be louder")
		}, "rebase -i --autosquash"},
		"deletion that is lost": {func(s *toy) {
			s.git("rm", "-q", "pkg/ducks/extra.go")
			s.edit("pkg/ducks/duck.go", "QUACK", "QUACKS")
			s.commit("fixup! ducks: be louder")
		}, "would change pkg/ducks/extra.go"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newToy(t)
			s.series()
			before := s.snapshot()
			c.do(s)
			head, status := s.git("rev-parse", "HEAD"), s.git("status", "--porcelain")
			err := s.Export(context.Background(), Source{})
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want one with %q", err, c.want)
			}
			s.same(before)
			if s.git("rev-parse", "HEAD") != head || s.git("status", "--porcelain") != status {
				t.Error("the scratch repository changed")
			}
			if list := s.git("worktree", "list", "--porcelain"); strings.Count(list, "worktree ") != 1 {
				t.Errorf("a worktree is left:\n%s", list)
			}
		})
	}
}

func TestImportFromAnotherRepository(t *testing.T) {
	s := newToy(t)
	s.apply()
	// The other repository has the same tree under another commit.
	other := &toy{&Scratch{Repo: git.Repo{Dir: filepath.Join(t.TempDir(), "src")}}, t, nil}
	if err := os.MkdirAll(other.Repo.Dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for p, text := range pond {
		other.write(p, text)
	}
	other.git("init", "-q", "--template=", "-b", "theirs")
	other.git("-c", "core.attributesFile=/dev/null", "add", "-A", ".")
	other.git("commit", "-q", "-m", "base")
	other.git("tag", "base")
	other.edit("pkg/ducks/duck.go", "quack", "peep")
	other.write("pkg/ducks/chick.go", "package ducks\n")
	other.commit(header("ducks: be small", "0100-ducks-small"))
	if err := s.Export(context.Background(), Source{Dir: other.Repo.Dir, Base: "base", Tip: "theirs"}); err != nil {
		t.Fatal(err)
	}
	s.apply()
	if got := s.read(filepath.Join(s.Repo.Dir, "pkg/ducks/duck.go")); !strings.Contains(got, "peep") {
		t.Errorf("duck.go = %s", got)
	}
	s.read(filepath.Join(s.Staging, "k8s.io/kubernetes/pkg/ducks/chick.go"))
	if refs := other.git("for-each-ref"); strings.Contains(refs, "sidecar-export") {
		t.Errorf("refs are left in the other repository:\n%s", refs)
	}
	other.git("commit", "-q", "--allow-empty", "-m", "empty")
	err := s.Export(context.Background(), Source{Dir: other.Repo.Dir, Base: "theirs~1", Tip: "theirs"})
	if err == nil || !strings.Contains(err.Error(), "not the untouched tree") {
		t.Errorf("wrong base: %v", err)
	}
}

func TestStatusNamesTheNextCommand(t *testing.T) {
	s := newToy(t)
	status := func(fresh bool) string {
		t.Helper()
		s.out.Reset()
		if err := s.Status(context.Background(), fresh); err != nil {
			t.Fatal(err)
		}
		return s.out.String()
	}
	if got := status(false); !strings.Contains(got, "sidecarctl apply") {
		t.Errorf("untouched tree: %s", got)
	}
	s.series()
	if got := status(true); !strings.Contains(got, "0100-ducks-loud") || !strings.Contains(got, "sidecarctl generate") {
		t.Errorf("applied: %s", got)
	}
	if got := status(false); !strings.Contains(got, "have changed since") {
		t.Errorf("stale: %s", got)
	}
	s.edit("pkg/frogs/frog.go", "6", "7")
	if got := status(true); !strings.Contains(got, "pkg/frogs/frog.go") || !strings.Contains(got, "--fixup") {
		t.Errorf("changed: %s", got)
	}
	s.commit("fixup! ducks: swim further")
	if got := status(true); !strings.Contains(got, "fixup! ducks: swim further") || !strings.Contains(got, "sidecarctl export") {
		t.Errorf("committed: %s", got)
	}
}
