package main

import (
	"flag"
	"os"

	"sidecar-node/images/probe/record"
)

// identity holds the flags that every subcommand inside a container takes.
type identity struct {
	record.Identity
	journal string
}

// flags registers the flags. The environment holds the defaults, so that a
// manifest need not repeat the name of the container in each hook.
func (i *identity) flags(fs *flag.FlagSet) {
	host, _ := os.Hostname()
	fs.StringVar(&i.Container, "name", env("PROBE_CONTAINER", "probe"), "name of the container in the journal (default: $PROBE_CONTAINER)")
	fs.StringVar(&i.journal, "journal", os.Getenv("PROBE_JOURNAL"), "folder of the journal, shared by the containers; empty: standard output only (default: $PROBE_JOURNAL)")
	i.Pod = env("PROBE_POD", host)
	i.UID = os.Getenv("PROBE_POD_UID")
}

// socket is the abstract unix socket on which a running probe tells whether it
// is ready. It needs no writable folder and dies with the process. Pods on the
// host's network share it, hence the pod in the name.
func (i *identity) socket() string {
	return "@sidecar-probe/" + i.Pod + "/" + i.UID + "/" + i.Container
}

func env(name, otherwise string) string {
	if v := os.Getenv(name); v != "" {
		return v
	}
	return otherwise
}
