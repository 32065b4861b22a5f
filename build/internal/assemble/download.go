package assemble

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"

	"sidecar-node/build/internal/gotool"
	"sidecar-node/build/internal/lock"
)

// downloaded is what `go mod download -json` says about a module.
type downloaded struct {
	Path     string
	Version  string
	Info     string
	Dir      string
	Sum      string
	GoModSum string
	Error    string
}

// download has the go command put modules, each as path@version, into the
// module cache and returns them by path. Modules that are there already need
// no network.
func download(ctx context.Context, modules []string) (map[string]downloaded, error) {
	cmd := exec.CommandContext(ctx, "go", append([]string{"mod", "download", "-json"}, modules...)...)
	// Away from any module, so that nobody's go.mod or go.work has a say.
	cmd.Dir = os.TempDir()
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=", "GO111MODULE=on")
	var out, errOut bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errOut
	runErr := cmd.Run()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if errors.Is(runErr, exec.ErrNotFound) {
		return nil, errors.New("the go command is not in PATH: install Go 1.26 and run the command again")
	}
	found := map[string]downloaded{}
	for dec := json.NewDecoder(&out); ; {
		var d downloaded
		if err := dec.Decode(&d); err == io.EOF {
			break
		} else if err != nil {
			return nil, fmt.Errorf("read the answer of go mod download: %w", err)
		}
		if d.Error != "" {
			return nil, explain(d)
		}
		found[d.Path] = d
	}
	if runErr != nil {
		return nil, fmt.Errorf("go mod download: %w: %s", runErr, strings.TrimSpace(errOut.String()))
	}
	return found, nil
}

// explain turns the failure of one download into what to do about it.
func explain(d downloaded) error {
	name := d.Path + "@" + d.Version
	text := d.Error
	has := func(parts ...string) bool {
		for _, p := range parts {
			if strings.Contains(text, p) {
				return true
			}
		}
		return false
	}
	switch {
	case has("unknown revision", "invalid version", "404 Not Found", "410 Gone"):
		return fmt.Errorf("unknown version: no module %s: %s\ncorrect the kubernetes line of patches/upstream.lock; published versions: go list -m -versions %s", name, text, d.Path)
	case has("checksum mismatch", "SECURITY ERROR"):
		return fmt.Errorf("module %s: the go command found another hash than it knows: %s\nremove the module from the cache and fetch it anew: go clean -modcache", name, text)
	case gotool.Offline(text):
		return fmt.Errorf("module %s is not in the module cache and cannot be fetched: %s\nconnect to the network or set GOPROXY to a proxy that is within reach, and run the command again; what is fetched once stays in the cache", name, text)
	}
	return fmt.Errorf("fetch module %s: %s", name, text)
}

// fetch downloads the modules of l and checks their hashes.
func fetch(ctx context.Context, l *lock.Lock) (map[string]downloaded, error) {
	var names []string
	for _, m := range l.Modules {
		names = append(names, m.Path+"@"+m.Version)
	}
	found, err := download(ctx, names)
	if err != nil {
		return nil, err
	}
	for _, m := range l.Modules {
		d, ok := found[m.Path]
		if !ok {
			return nil, fmt.Errorf("go mod download did not return %s@%s", m.Path, m.Version)
		}
		for _, h := range []struct{ what, want, found string }{
			{"files", m.Sum, d.Sum},
			{"go.mod", m.GoModSum, d.GoModSum},
		} {
			if h.want != h.found {
				return nil, fmt.Errorf("module %s@%s: hash of its %s differs from patches/upstream.lock: want %s, found %s\nif the cache is damaged: go clean -modcache; if the lock is wrong: hack/sidecarctl lock %s", m.Path, m.Version, h.what, h.want, h.found, l.Kubernetes)
			}
		}
	}
	return found, nil
}
