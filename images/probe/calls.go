package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"sidecar-node/images/probe/record"
)

const (
	// callTimeout ends a call that gets no answer.
	callTimeout = 2 * time.Second
	// failuresShown bounds the journal; further failures are only counted.
	failuresShown = 20
)

// caller calls one URL again and again and writes down every failure.
type caller struct {
	journal *record.Journal
	url     string
	client  http.Client
	cancel  context.CancelFunc
	done    chan struct{}

	mu sync.Mutex
	n  record.Calls
}

func startCaller(j *record.Journal, url string, every time.Duration) *caller {
	ctx, cancel := context.WithCancel(context.Background())
	c := &caller{
		journal: j, url: url, cancel: cancel, done: make(chan struct{}),
		// Each call opens a connection, as a new client would.
		client: http.Client{Timeout: callTimeout, Transport: &http.Transport{DisableKeepAlives: true}},
	}
	go func() {
		defer close(c.done)
		for {
			c.once()
			select {
			case <-ctx.Done():
				return
			case <-time.After(every):
			}
		}
	}()
	return c
}

func (c *caller) once() {
	err := c.get()
	c.mu.Lock()
	if err == nil {
		c.n.OK++
	} else {
		c.n.Failed++
	}
	n := c.n
	c.mu.Unlock()
	if err != nil && n.Failed <= failuresShown {
		// A journal that cannot be written ends the process at its next record.
		_ = c.journal.Append(record.Record{Event: record.CallFailed, Calls: &n, Note: err.Error()})
	}
}

func (c *caller) get() error {
	resp, err := c.client.Get(c.url)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	_, err = io.Copy(io.Discard, resp.Body)
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s", c.url, resp.Status)
	}
	return err
}

// stop returns when the call that is under way has its answer.
func (c *caller) stop() {
	c.cancel()
	<-c.done
}

func (c *caller) count() *record.Calls {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := c.n
	return &n
}
