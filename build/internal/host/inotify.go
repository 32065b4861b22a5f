package host

import (
	"fmt"
	"io/fs"
	"strconv"
	"strings"
)

// Inotify holds the limits that one user, and so all nodes of all clusters
// together, share.
type Inotify struct {
	Instances, Watches uint64
}

func readInotify(root fs.FS) (Inotify, error) {
	var i Inotify
	for name, into := range map[string]*uint64{"max_user_instances": &i.Instances, "max_user_watches": &i.Watches} {
		file := "proc/sys/fs/inotify/" + name
		data, err := fs.ReadFile(root, file)
		if err != nil {
			return i, err
		}
		if *into, err = strconv.ParseUint(strings.TrimSpace(string(data)), 10, 64); err != nil {
			return i, fmt.Errorf("%s: %w", file, err)
		}
	}
	return i, nil
}
