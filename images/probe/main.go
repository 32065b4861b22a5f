// Command probe is the test workload of the cluster suite and the examples. It
// does what its arguments say and keeps a journal of what happened to it.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
)

const usage = `usage:
  probe [run] [flags]          play a container; see probe run -h
  probe ready [flags]          succeed if the running probe of this container is ready
  probe hook NAME [flags]      play a lifecycle hook
  probe dump DIR               print the journal in DIR
  probe reader [flags]         serve the journals of a node by HTTP
`

func main() {
	code, err := dispatch(os.Args[1:], os.Stdout)
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "probe:", err)
		if code == 0 {
			code = 70
		}
	}
	os.Exit(code)
}

// dispatch runs the subcommand and returns the exit code of the process.
func dispatch(args []string, out io.Writer) (int, error) {
	if len(args) == 0 || args[0] == "run" || args[0][0] == '-' {
		if len(args) > 0 && args[0] == "run" {
			args = args[1:]
		}
		return run(args, out)
	}
	switch args[0] {
	case "ready":
		return 0, ready(args[1:])
	case "hook":
		return hook(args[1:], out)
	case "dump":
		return 0, dump(args[1:], out)
	case "reader":
		return 0, reader(args[1:])
	case "help":
		fmt.Fprint(out, usage)
		return 0, nil
	}
	return 64, fmt.Errorf("unknown subcommand %q\n%s", args[0], usage)
}
