package nodeimage

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

var imageLine = regexp.MustCompile(`(?m)(?:^\s*-?\s*image:\s*|--helper-image=)"?([^\s"]+)`)

// checkManifests makes sure that the manifests name only preloaded images.
func checkManifests(dir string, containers map[string]container) error {
	files, err := filepath.Glob(filepath.Join(dir, "*.yaml"))
	if err != nil {
		return err
	}
	found := 0
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		for _, m := range imageLine.FindAllSubmatch(data, -1) {
			found++
			if _, ok := containers[string(m[1])]; !ok {
				return fmt.Errorf("%s: image %s is not preloaded: want one of %s", file, m[1], strings.Join(slices.Sorted(maps.Keys(containers)), ", "))
			}
		}
	}
	if found == 0 {
		return fmt.Errorf("no image in %s/*.yaml: want manifests of the pod network and the storage", dir)
	}
	return nil
}
