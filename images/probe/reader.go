package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"sidecar-node/images/probe/record"
)

// reader serves the journals of a node. It runs beside the pods under test and
// outlives them; the API server's proxy leads to it.
//
//	GET    /v1/ID        the journal ID
//	PUT    /v1/ID        make its folder, writable by every user
//	PUT    /v1/ID/FILE   make a file beside it (for --exit-when, --ready-when)
//	DELETE /v1/ID/FILE   remove that file
//	DELETE /v1/ID        remove the folder; a trailing * stands for any rest
func reader(args []string) error {
	fs := flag.NewFlagSet("probe reader", flag.ContinueOnError)
	dir := fs.String("dir", "/var/lib/sidecar-e2e", "folder that holds one folder for each journal")
	listen := fs.String("listen", ":10753", "address")
	if err := fs.Parse(args); err != nil {
		return err
	}
	go func() {
		for range time.Tick(noticeEvery) {
			noticeAll(*dir)
		}
	}()
	server := &http.Server{Addr: *listen, Handler: readerHandler(*dir), ReadHeaderTimeout: 5 * time.Second}
	return server.ListenAndServe()
}

// noticeEvery bounds the error in the time of a death in a journal.
const noticeEvery = 100 * time.Millisecond

// noticeAll notices the deaths in all journals. An error shows when the journal
// is read.
func noticeAll(dir string) {
	folders, _ := os.ReadDir(dir)
	for _, f := range folders {
		_ = record.Notice(filepath.Join(dir, f.Name()))
	}
}

var (
	idPattern   = regexp.MustCompile(`^[a-z0-9][a-z0-9-]*\*?$`)
	filePattern = regexp.MustCompile(`^[a-z][a-z0-9-]*$`)
)

func readerHandler(dir string) http.Handler {
	mux := http.NewServeMux()
	handle := func(pattern string, do func(w http.ResponseWriter, folder, file string) error) {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, req *http.Request) {
			id, file := req.PathValue("id"), req.PathValue("file")
			if !idPattern.MatchString(id) || strings.HasSuffix(id, "*") && (req.Method != http.MethodDelete || file != "") {
				http.Error(w, fmt.Sprintf("journal %q: want letters, digits and dashes", id), http.StatusBadRequest)
				return
			}
			if file != "" && !filePattern.MatchString(file) {
				http.Error(w, fmt.Sprintf("file %q: want letters, digits and dashes", file), http.StatusBadRequest)
				return
			}
			if err := do(w, filepath.Join(dir, id), file); err != nil {
				http.Error(w, err.Error(), http.StatusInternalServerError)
			}
		})
	}
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") })
	handle("GET /v1/{id}", func(w http.ResponseWriter, folder, _ string) error {
		records, err := record.Read(folder)
		if err != nil {
			return err
		}
		for _, r := range records {
			if err := json.NewEncoder(w).Encode(r); err != nil {
				return err
			}
		}
		return nil
	})
	handle("PUT /v1/{id}", func(_ http.ResponseWriter, folder, _ string) error {
		if err := os.MkdirAll(folder, 0o777); err != nil {
			return err
		}
		return os.Chmod(folder, 0o777)
	})
	handle("PUT /v1/{id}/{file}", func(_ http.ResponseWriter, folder, file string) error {
		f, err := os.OpenFile(filepath.Join(folder, file), os.O_CREATE, 0o666)
		if err != nil {
			return err
		}
		return f.Close()
	})
	handle("DELETE /v1/{id}/{file}", func(_ http.ResponseWriter, folder, file string) error {
		return os.Remove(filepath.Join(folder, file))
	})
	handle("DELETE /v1/{id}", func(_ http.ResponseWriter, folder, _ string) error {
		folders, err := filepath.Glob(folder)
		if err != nil {
			return err
		}
		for _, f := range folders {
			if err := os.RemoveAll(f); err != nil {
				return err
			}
		}
		return nil
	})
	return mux
}
