package main

import (
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"sidecar-node/images/probe/record"
)

// fileEvery is how often the files are looked for that --ready-when and
// --exit-when name.
const fileEvery = 20 * time.Millisecond

// run plays a container until it ends and returns its exit code.
func run(args []string, out io.Writer) (int, error) {
	// First of all: a signal that arrives during the start must not be lost.
	signals := make(chan os.Signal, 16)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGHUP, syscall.SIGUSR1, syscall.SIGUSR2)

	o, err := parseOptions(args)
	if err != nil {
		return 64, err
	}
	p := &player{options: o, journal: record.Open(o.journal, o.Identity, out)}
	n, err := p.journal.Start(strings.Join(args, " "))
	if err != nil {
		return 70, err
	}
	if err := p.listen(); err != nil {
		return 70, err
	}
	if o.call != "" {
		p.caller = startCaller(p.journal, o.call, o.callEvery)
	}
	return p.play(n, signals)
}

// player is a running container.
type player struct {
	*options
	journal *record.Journal
	state   readiness
	caller  *caller
}

// play is the life of the container after its start.
func (p *player) play(n int, signals <-chan os.Signal) (int, error) {
	readyAt := after(p.readyAfter.of(n))
	if p.readyWhen != "" {
		readyAt = nil
	}
	exitAt := after(p.exitAfter.of(n))
	exitWhen, eatWhen := p.exitWhen.of(n), p.eatWhen.of(n)
	var files <-chan time.Time
	if p.readyWhen != "" || exitWhen != "" || eatWhen != "" {
		ticker := time.NewTicker(fileEvery)
		defer ticker.Stop()
		files = ticker.C
	}
	var stopAt <-chan time.Time
	stopping := false
	for {
		select {
		case <-readyAt:
			if err := p.setReady(true); err != nil {
				return 70, err
			}
		case <-files:
			if p.readyWhen != "" {
				if err := p.setReady(exists(p.readyWhen)); err != nil {
					return 70, err
				}
			}
			if exitWhen != "" && !stopping && exists(exitWhen) {
				return p.exit(p.exitCode.of(n))
			}
			if eatWhen != "" && exists(eatWhen) {
				eatMemory(func([]byte) bool { return true })
			}
		case <-exitAt:
			if !stopping {
				return p.exit(p.exitCode.of(n))
			}
		case s := <-signals:
			name := strings.TrimPrefix(unix.SignalName(s.(syscall.Signal)), "SIG")
			if err := p.journal.Append(record.Record{Event: record.Signal, Signal: name, Calls: p.calls()}); err != nil {
				return 70, err
			}
			if p.onTerm.ignore || stopping || !asksToStop(s) {
				continue
			}
			if p.onTerm.delay == 0 {
				return p.exit(p.termCode)
			}
			stopping = true
			stopAt = time.After(p.onTerm.delay)
		case <-stopAt:
			return p.exit(p.termCode)
		}
	}
}

// exit waits for the call that is under way and writes the last record.
func (p *player) exit(code int) (int, error) {
	if p.caller != nil {
		p.caller.stop()
	}
	if err := p.journal.Append(record.Record{Event: record.Exit, Code: &code, Calls: p.calls()}); err != nil {
		return 70, fmt.Errorf("exit %d: %w", code, err)
	}
	return code, nil
}

func (p *player) calls() *record.Calls {
	if p.caller == nil {
		return nil
	}
	return p.caller.count()
}

// setReady writes the change down before anybody can see it.
func (p *player) setReady(now bool) error {
	if now == p.state.get() {
		return nil
	}
	event := record.Unready
	if now {
		event = record.Ready
	}
	if err := p.journal.Append(record.Record{Event: event}); err != nil {
		return err
	}
	p.state.set(now)
	return nil
}

func asksToStop(s os.Signal) bool {
	return s == syscall.SIGTERM || s == syscall.SIGINT || s == syscall.SIGQUIT
}

func after(d time.Duration) <-chan time.Time {
	if d == never {
		return nil
	}
	return time.After(d)
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}
