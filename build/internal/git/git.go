// Package git runs the git command on the scratch repositories so that its
// results depend on nothing but its arguments: no user or system configuration,
// no hooks, a fixed identity and date, and every setting that could change a
// diff or a checkout stated on the command line, where it also overrides the
// configuration of the repository itself.
package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
)

// Repo is a git repository with a working tree.
type Repo struct {
	// Dir is the absolute path of the working tree, or of a bare repository.
	Dir string
}

// Identity and date of every commit that the tool makes. They are constants so
// that commit ids depend on content only.
const (
	identityName  = "sidecarctl"
	identityEmail = "sidecarctl@localhost"
	identityDate  = "2000-01-01T00:00:00Z"
)

// settings are stated on every call.
var settings = []string{
	"core.attributesFile=/dev/null",
	"core.excludesFile=/dev/null",
	"core.hooksPath=/dev/null",
	"core.autocrlf=false",
	"core.safecrlf=false",
	"core.eol=lf",
	"core.fileMode=true",
	"core.symlinks=true",
	"core.quotePath=false",
	"core.whitespace=blank-at-eol,blank-at-eof",
	"core.fsmonitor=false",
	"core.editor=true",
	"core.pager=cat",
	"core.commentChar=#",
	"color.ui=false",
	"commit.gpgSign=false",
	"commit.cleanup=verbatim",
	"tag.gpgSign=false",
	"i18n.commitEncoding=UTF-8",
	"i18n.logOutputEncoding=UTF-8",
	"diff.noprefix=false",
	"diff.mnemonicPrefix=false",
	"diff.renames=false",
	"diff.algorithm=myers",
	"diff.indentHeuristic=true",
	"diff.context=1",
	"diff.interHunkContext=0",
	"diff.orderFile=/dev/null",
	"diff.suppressBlankEmpty=false",
	"diff.submodule=short",
	"diff.ignoreSubmodules=none",
	"diff.wsErrorHighlight=none",
	"apply.whitespace=nowarn",
	"apply.ignoreWhitespace=no",
	"status.showUntrackedFiles=all",
	"status.relativePaths=false",
	"log.showSignature=false",
	"advice.detachedHead=false",
	"gc.auto=0",
	"maintenance.auto=false",
	"rerere.enabled=false",
	"rebase.autoStash=false",
	"rebase.updateRefs=false",
	"merge.renames=false",
	"merge.conflictStyle=diff3",
	"submodule.recurse=false",
	"init.defaultBranch=main",
	"safe.directory=*",
}

// Call is one run of git.
type Call struct {
	// Args are the arguments after "git".
	Args []string
	// Stdin is fed to git, if it is not nil.
	Stdin []byte
	// Index is the path of an index file to use in place of the repository's
	// own, which stays untouched.
	Index string
	// Env holds further variables, each as name=value.
	Env []string
	// Out receives what git prints, if it is not nil; otherwise it is
	// returned.
	Out io.Writer
}

// Error is a failed run of git.
type Error struct {
	Dir    string
	Args   []string
	Stderr string
	Err    error
}

func (e *Error) Error() string {
	text := strings.TrimSpace(e.Stderr)
	if text == "" {
		text = e.Err.Error()
	}
	return fmt.Sprintf("git -C %s %s: %s", e.Dir, strings.Join(e.Args, " "), text)
}

func (e *Error) Unwrap() error { return e.Err }

// ExitCode returns the exit code of git if err is a failed run, else -1.
func ExitCode(err error) int {
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.ExitCode()
	}
	return -1
}

// Do runs git and returns what it printed.
func (r Repo) Do(ctx context.Context, c Call) ([]byte, error) {
	args := []string{"-C", r.Dir}
	for _, s := range settings {
		args = append(args, "-c", s)
	}
	cmd := exec.CommandContext(ctx, "git", append(args, c.Args...)...)
	cmd.Env = slices.Concat(environ(), c.Env)
	if c.Index != "" {
		cmd.Env = append(cmd.Env, "GIT_INDEX_FILE="+c.Index)
	}
	if c.Stdin != nil {
		cmd.Stdin = bytes.NewReader(c.Stdin)
	}
	var out, errOut bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errOut
	if c.Out != nil {
		cmd.Stdout = c.Out
	}
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			err = ctx.Err()
		}
		return out.Bytes(), &Error{r.Dir, c.Args, errOut.String(), err}
	}
	return out.Bytes(), nil
}

// Run runs git with args and returns its output without surrounding white
// space.
func (r Repo) Run(ctx context.Context, args ...string) (string, error) {
	out, err := r.Do(ctx, Call{Args: args})
	return strings.TrimSpace(string(out)), err
}

// environ is the environment of the process without the variables that steer
// git, and with those that shut out foreign configuration.
func environ() []string {
	env := slices.DeleteFunc(os.Environ(), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return strings.HasPrefix(name, "GIT_") || name == "LC_ALL" || name == "LANGUAGE" || name == "TZ"
	})
	return append(env,
		"GIT_CONFIG_NOSYSTEM=1",
		"GIT_CONFIG_SYSTEM=/dev/null",
		"GIT_CONFIG_GLOBAL=/dev/null",
		"GIT_ATTR_NOSYSTEM=1",
		"GIT_TERMINAL_PROMPT=0",
		"GIT_EDITOR=true",
		"GIT_AUTHOR_NAME="+identityName,
		"GIT_AUTHOR_EMAIL="+identityEmail,
		"GIT_AUTHOR_DATE="+identityDate,
		"GIT_COMMITTER_NAME="+identityName,
		"GIT_COMMITTER_EMAIL="+identityEmail,
		"GIT_COMMITTER_DATE="+identityDate,
		"LC_ALL=C.UTF-8",
		"TZ=UTC",
	)
}
