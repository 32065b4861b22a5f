// Package toyproxy is an invented upstream for tests: a module proxy that
// serves modules with the paths and the shape of Kubernetes, and none of its
// text.
package toyproxy

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"
)

// Proxy is a module proxy that serves folders of a temporary directory.
type Proxy struct {
	t   *testing.T
	dir string
}

// New starts a proxy with an invented Kubernetes v1.37.2, and points the go
// command at it and at an empty module cache for the time of the test.
func New(t *testing.T) *Proxy {
	t.Helper()
	p := &Proxy{t, t.TempDir()}
	server := httptest.NewServer(http.FileServer(http.Dir(p.dir)))
	t.Cleanup(server.Close)
	t.Setenv("GOPROXY", server.URL)
	t.Setenv("GOSUMDB", "off")
	cache := t.TempDir()
	t.Setenv("GOMODCACHE", cache)
	// The cache is write-protected.
	t.Cleanup(func() {
		cmd := exec.Command("go", "clean", "-modcache")
		cmd.Env = append(os.Environ(), "GOMODCACHE="+cache)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("clean: %v\n%s", err, out)
		}
	})
	p.Add("k8s.io/kubernetes", "v1.37.2", map[string]string{
		"go.mod":                    "module k8s.io/kubernetes\n\ngo 1.26\n\nrequire (\n\tk8s.io/pond v0.0.0\n\tk8s.io/sample-controller v0.0.0\n)\n\nreplace k8s.io/sample-controller => ./staging/src/k8s.io/sample-controller\n",
		"go.work":                   "go 1.26\n\nuse (\n\t.\n\t./staging/src/k8s.io/pond\n\t./staging/src/k8s.io/sample-controller\n)\n",
		"pkg/duck.go":               "package pkg\n",
		"ignored.log":               "upstream has it\n",
		".gitignore":                "*.log\n",
		".gitattributes":            "* text=auto eol=lf\n",
		"crlf.txt":                  "one\r\ntwo\r\n",
		"staging/README.md":         "of upstream\n",
		"staging/src/k8s.io/OWNERS": "ducks\n",
	})
	p.Add("k8s.io/pond", "v0.37.2", map[string]string{"go.mod": "module k8s.io/pond\n", "pond.go": "package pond\n"})
	return p
}

// Add publishes a version of a module.
func (p *Proxy) Add(path, version string, files map[string]string) {
	p.t.Helper()
	source := p.t.TempDir()
	for f, text := range files {
		file := filepath.Join(source, f)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			p.t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			p.t.Fatal(err)
		}
	}
	dir := filepath.Join(p.dir, path, "@v")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		p.t.Fatal(err)
	}
	out, err := os.Create(filepath.Join(dir, version+".zip"))
	if err != nil {
		p.t.Fatal(err)
	}
	defer out.Close()
	if err := zip.CreateFromDir(out, module.Version{Path: path, Version: version}, source); err != nil {
		p.t.Fatal(err)
	}
	for ext, text := range map[string]string{
		".info": fmt.Sprintf(`{"Version":%q,"Time":"2026-10-27T12:01:04Z"}`, version),
		".mod":  files["go.mod"],
	} {
		if err := os.WriteFile(filepath.Join(dir, version+ext), []byte(text), 0o644); err != nil {
			p.t.Fatal(err)
		}
	}
}
