// Package gotool runs the go command inside the Kubernetes tree, with settings
// that do not depend on the host: the tree's own workspace, and no paths in
// what is compiled, so that every checkout shares the build cache.
package gotool

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// Env returns the environment for the go command, and for programs that call
// it, in the tree at dir. Each of extra, as name=value, is added.
func Env(dir string, extra ...string) []string {
	drop := []string{"GOFLAGS", "GOWORK", "GO111MODULE", "GOOS", "GOEXPERIMENT", "CGO_ENABLED", "GODEBUG"}
	env := slices.DeleteFunc(os.Environ(), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return slices.Contains(drop, name)
	})
	env = append(env,
		"GOFLAGS=-trimpath -buildvcs=false",
		"GOWORK="+filepath.Join(dir, "go.work"),
		"GO111MODULE=on",
		"LC_ALL=C",
	)
	return append(env, extra...)
}

// Command returns a command that runs in the tree at dir.
func Command(ctx context.Context, dir, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	cmd.Env = Env(dir)
	return cmd
}

// Output runs a command and returns what it prints. The error holds the end
// of what it says on standard error.
func Output(cmd *exec.Cmd) ([]byte, error) {
	var out, errOut bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errOut
	if err := cmd.Run(); err != nil {
		return out.Bytes(), explain(cmd, err, errOut.String())
	}
	return out.Bytes(), nil
}

// Run runs a command for its effect. The error holds the end of what it
// prints.
func Run(cmd *exec.Cmd) error {
	var all bytes.Buffer
	cmd.Stdout, cmd.Stderr = &all, &all
	if err := cmd.Run(); err != nil {
		return explain(cmd, err, all.String())
	}
	return nil
}

// explain adds the end of the output to an error. Compilers say what matters
// in a few lines; a generator may say a lot before it fails.
func explain(cmd *exec.Cmd, err error, output string) error {
	if errors.Is(err, exec.ErrNotFound) {
		return fmt.Errorf("%s is not in PATH: see what is missing with make doctor", cmd.Args[0])
	}
	const most = 4000
	output = strings.TrimSpace(output)
	if len(output) > most {
		output = "..." + output[len(output)-most:]
	}
	args := strings.Join(cmd.Args, " ")
	if len(args) > 300 {
		args = args[:300] + " ..."
	}
	if Offline(output) {
		output += "\na module is not in the module cache and cannot be fetched: connect to the network or set GOPROXY to a proxy that is within reach, and run the command again; what is fetched once stays in the cache"
	}
	return fmt.Errorf("%s: %w\n%s", args, err, output)
}

// Offline reports whether the go command says in text that it cannot reach a
// module proxy, or must not.
func Offline(text string) bool {
	for _, sign := range []string{
		"dial tcp", "no such host", "connection refused", "i/o timeout", "module lookup disabled by GOPROXY",
		"network is unreachable", "TLS handshake", "server misbehaving", "connection reset",
	} {
		if strings.Contains(text, sign) {
			return true
		}
	}
	return false
}
