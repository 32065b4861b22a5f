package main

import (
	"flag"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// perRun is a flag with one value for each run of the container; the last
// value holds for all later runs.
type perRun[T any] struct {
	values []T
	parse  func(string) (T, error)
}

func (p *perRun[T]) String() string { return "" }

func (p *perRun[T]) Set(text string) error {
	p.values = nil
	for part := range strings.SplitSeq(text, ",") {
		v, err := p.parse(strings.TrimSpace(part))
		if err != nil {
			return err
		}
		p.values = append(p.values, v)
	}
	return nil
}

// of returns the value for a run, counted from 1.
func (p *perRun[T]) of(run int) T {
	return p.values[min(run, len(p.values))-1]
}

// never is a duration that does not end.
const never = time.Duration(-1)

func duration(text string) (time.Duration, error) {
	if text == "never" {
		return never, nil
	}
	d, err := time.ParseDuration(text)
	if err == nil && d < 0 {
		err = fmt.Errorf("%q is negative", text)
	}
	return d, err
}

// onTerm is what the process does when it is asked to stop.
type onTerm struct {
	ignore bool
	delay  time.Duration
}

func (o *onTerm) String() string { return "" }

func (o *onTerm) Set(text string) error {
	switch word, rest, _ := strings.Cut(text, ":"); {
	case text == "exit":
		*o = onTerm{}
	case text == "ignore":
		*o = onTerm{ignore: true}
	case word == "delay":
		d, err := duration(rest)
		if err != nil || d == never {
			return fmt.Errorf("%q: want delay:DURATION", text)
		}
		*o = onTerm{delay: d}
	default:
		return fmt.Errorf("%q: want ignore, exit or delay:DURATION", text)
	}
	return nil
}

// options say how to play a container.
type options struct {
	identity
	readyAfter perRun[time.Duration]
	readyWhen  string
	exitAfter  perRun[time.Duration]
	exitWhen   perRun[string]
	exitCode   perRun[int]
	eatWhen    perRun[string]
	onTerm     onTerm
	termCode   int
	serve      string
	call       string
	callEvery  time.Duration
}

func parseOptions(args []string) (*options, error) {
	o := &options{
		readyAfter: perRun[time.Duration]{[]time.Duration{0}, duration},
		exitAfter:  perRun[time.Duration]{[]time.Duration{never}, duration},
		exitWhen:   perRun[string]{[]string{""}, func(text string) (string, error) { return text, nil }},
		exitCode:   perRun[int]{[]int{0}, strconv.Atoi},
		eatWhen:    perRun[string]{[]string{""}, func(text string) (string, error) { return text, nil }},
	}
	fs := flag.NewFlagSet("probe run", flag.ContinueOnError)
	o.flags(fs)
	fs.Var(&o.readyAfter, "ready-after", "become ready after this time, or never; a comma separates the values of successive runs")
	fs.StringVar(&o.readyWhen, "ready-when", "", "become ready when this file exists, and unready when it goes")
	fs.Var(&o.exitAfter, "exit-after", "end by itself after this time, or never; a comma separates the values of successive runs")
	fs.Var(&o.exitWhen, "exit-when", "end by itself when this file exists; a comma separates the values of successive runs, an empty one means none")
	fs.Var(&o.exitCode, "exit-code", "exit code when it ends by itself; a comma separates the values of successive runs")
	fs.Var(&o.eatWhen, "eat-memory-when", "take memory until it is killed when this file exists; a comma separates the values of successive runs, an empty one means none")
	fs.Var(&o.onTerm, "on-term", "when asked to stop: exit, ignore, or delay:DURATION")
	fs.IntVar(&o.termCode, "term-code", 0, "exit code when asked to stop")
	fs.StringVar(&o.serve, "serve", "", "answer HTTP on this address: / and /ready with 200 when ready and 503 when not, /healthz with 200")
	fs.StringVar(&o.call, "call", "", "call this URL again and again until the end, also while stopping")
	fs.DurationVar(&o.callEvery, "call-every", 100*time.Millisecond, "time between two calls")
	if err := fs.Parse(args); err != nil {
		return nil, err
	}
	if fs.NArg() > 0 {
		return nil, fmt.Errorf("probe run: unexpected argument %q", fs.Arg(0))
	}
	if o.callEvery <= 0 {
		return nil, fmt.Errorf("probe run: --call-every %v: want a time above 0", o.callEvery)
	}
	return o, nil
}
