package main

import (
	"fmt"
	"net"
	"net/http"
	"sync/atomic"
	"time"
)

// readiness is what the outside sees.
type readiness struct{ ready atomic.Bool }

func (r *readiness) get() bool    { return r.ready.Load() }
func (r *readiness) set(now bool) { r.ready.Store(now) }

// ServeHTTP answers readiness probes and calls.
func (r *readiness) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	if req.URL.Path != "/healthz" && !r.get() {
		http.Error(w, "not ready", http.StatusServiceUnavailable)
		return
	}
	fmt.Fprintln(w, "ok")
}

// listen opens the socket for probe ready and, if asked for, the port.
func (p *player) listen() error {
	l, err := net.Listen("unix", p.socket())
	if err != nil {
		return fmt.Errorf("is another probe running in this container? %w", err)
	}
	server := &http.Server{Handler: &p.state, ReadHeaderTimeout: 5 * time.Second}
	go server.Serve(l)
	if p.serve == "" {
		return nil
	}
	port, err := net.Listen("tcp", p.serve)
	if err != nil {
		return err
	}
	go server.Serve(port)
	return nil
}
