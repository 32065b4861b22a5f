package main

import (
	"flag"
	"fmt"
	"io"
	"time"

	"sidecar-node/images/probe/record"
)

// hook plays an exec hook and returns its exit code.
func hook(args []string, out io.Writer) (int, error) {
	if len(args) == 0 || args[0] == "" || args[0][0] == '-' {
		return 64, fmt.Errorf("probe hook: want the name of the hook first, such as: probe hook preStop --takes 2s")
	}
	name := args[0]
	var id identity
	fs := flag.NewFlagSet("probe hook", flag.ContinueOnError)
	id.flags(fs)
	takes := fs.Duration("takes", 0, "how long the hook runs")
	code := fs.Int("exit-code", 0, "exit code of the hook")
	if err := fs.Parse(args[1:]); err != nil {
		return 64, err
	}
	j := record.Open(id.journal, id.Identity, out)
	if err := j.Attach(); err != nil {
		return 70, err
	}
	if err := j.Append(record.Record{Event: record.HookStart, Hook: name}); err != nil {
		return 70, err
	}
	time.Sleep(*takes)
	if err := j.Append(record.Record{Event: record.HookEnd, Hook: name, Code: code}); err != nil {
		return 70, err
	}
	return *code, nil
}
