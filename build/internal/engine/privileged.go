package engine

import (
	"archive/tar"
	"bytes"
	"context"
	"debug/elf"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"
)

// SelfCheckArgument makes the program of this package print SelfCheckAnswer
// and exit: TryPrivileged runs it in a container.
const (
	SelfCheckArgument = "container-self-check"
	SelfCheckAnswer   = "this is a container"
)

// tryTimeout is far more than an engine needs, even on a busy machine.
const tryTimeout = 3 * time.Minute

// selfCheckImage is the short-lived image of TryPrivileged.
const selfCheckImage = "localhost/sidecar-node-self-check:latest"

// TryPrivileged runs a privileged container, as kind does for every node, and
// reports why that fails. The image is made of the running program alone,
// which must be linked statically, so nothing is pulled. It takes about a
// second and leaves nothing behind.
func (e *Engine) TryPrivileged(ctx context.Context) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	return e.tryPrivileged(ctx, self)
}

func (e *Engine) tryPrivileged(ctx context.Context, file string) error {
	if static, err := isStatic(file); err != nil || !static {
		return errors.Join(fmt.Errorf("%s isn't linked statically, so it can't run in an empty container: use hack/sidecarctl", file), err)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, tryTimeout, fmt.Errorf("%s didn't run a privileged container within %s", e.Name, tryTimeout))
	defer cancel()
	program, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var root bytes.Buffer
	w := tar.NewWriter(&root)
	if err := w.WriteHeader(&tar.Header{Name: "check", Mode: 0o755, Size: int64(len(program)), Typeflag: tar.TypeReg}); err != nil {
		return err
	}
	if _, err := w.Write(program); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	load := e.Command(ctx, "import", "-", selfCheckImage)
	load.Stdin = &root
	if out, err := load.CombinedOutput(); ctx.Err() != nil {
		return context.Cause(ctx)
	} else if err != nil {
		return &Error{Command: strings.Join(load.Args, " "), Text: strings.TrimSpace(string(out)), Err: err}
	}
	defer e.RemoveImage(context.WithoutCancel(ctx), selfCheckImage)
	out, err := e.output(ctx, "run", "--rm", "--privileged", "--network", "none", selfCheckImage, "/check", SelfCheckArgument)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err != nil {
		return err
	}
	if got := strings.TrimSpace(out); got != SelfCheckAnswer {
		return fmt.Errorf("a privileged container of %s printed %q: want %q", e.Name, got, SelfCheckAnswer)
	}
	return nil
}

// isStatic reports whether a program runs without a dynamic linker.
func isStatic(file string) (bool, error) {
	f, err := elf.Open(file)
	if err != nil {
		return false, err
	}
	defer f.Close()
	for _, p := range f.Progs {
		if p.Type == elf.PT_INTERP {
			return false, nil
		}
	}
	return true, nil
}
