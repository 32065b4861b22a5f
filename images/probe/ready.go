package main

import (
	"context"
	"flag"
	"fmt"
	"net"
	"net/http"
	"time"
)

// ready asks the probe that runs in this container. It is the command of exec
// probes.
func ready(args []string) error {
	var id identity
	fs := flag.NewFlagSet("probe ready", flag.ContinueOnError)
	id.flags(fs)
	if err := fs.Parse(args); err != nil {
		return err
	}
	client := http.Client{
		Timeout: 5 * time.Second,
		Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			var d net.Dialer
			return d.DialContext(ctx, "unix", id.socket())
		}},
	}
	resp, err := client.Get("http://probe/ready")
	if err != nil {
		return fmt.Errorf("container %s: %w", id.Container, err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("container %s is not ready", id.Container)
	}
	return nil
}
