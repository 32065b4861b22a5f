package assemble

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/mod/modfile"

	"sidecar-node/build/internal/lock"
)

// unpublished are the staging modules that upstream does not publish.
var unpublished = []string{"k8s.io/sample-cli-plugin", "k8s.io/sample-controller"}

// Resolve makes the lock for a version of Kubernetes: it takes the list of
// staging modules from upstream's go.work and the hashes from the go command.
func Resolve(ctx context.Context, kubernetes, distribution string) (*lock.Lock, error) {
	staging, err := lock.StagingVersion(kubernetes)
	if err != nil {
		return nil, err
	}
	found, err := download(ctx, []string{lock.Main + "@" + kubernetes})
	if err != nil {
		return nil, err
	}
	main := found[lock.Main]
	date, err := released(main.Info)
	if err != nil {
		return nil, err
	}
	names, err := stagingModules(filepath.Join(main.Dir, "go.work"))
	if err != nil {
		return nil, err
	}
	var wanted []string
	l := &lock.Lock{Kubernetes: kubernetes, Distribution: distribution, Date: date}
	for _, n := range names {
		if slices.Contains(unpublished, n) {
			l.Drop = append(l.Drop, n)
			continue
		}
		wanted = append(wanted, n+"@"+staging)
	}
	rest, err := download(ctx, wanted)
	if err != nil {
		return nil, err
	}
	rest[lock.Main] = main
	for _, d := range rest {
		l.Modules = append(l.Modules, lock.Module{Path: d.Path, Version: d.Version, Sum: d.Sum, GoModSum: d.GoModSum})
	}
	// Formatting sorts; reading back applies every check of the reader.
	return lock.Parse(l.Format())
}

// released reads the time of a version from the go command's info file.
func released(info string) (time.Time, error) {
	data, err := os.ReadFile(info)
	if err != nil {
		return time.Time{}, err
	}
	var i struct{ Time time.Time }
	if err := json.Unmarshal(data, &i); err != nil {
		return time.Time{}, fmt.Errorf("%s: %w", info, err)
	}
	return i.Time, nil
}

// stagingModules returns the paths of the staging modules that a go.work uses.
func stagingModules(file string) ([]string, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	work, err := modfile.ParseWork(file, data, nil)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, u := range work.Use {
		if name, ok := strings.CutPrefix(path.Clean(u.Path), stagingRoot+"/"); ok {
			names = append(names, name)
		}
	}
	return names, nil
}
