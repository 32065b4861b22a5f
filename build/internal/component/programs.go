package component

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"maps"
)

// Programs compiles programs of this repository, given by name and package,
// next to the components. The go command knows which are up to date.
func (b *Builder) Programs(ctx context.Context, root string, packages map[string]string) error {
	if err := os.MkdirAll(b.Bin, 0o755); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(packages)) {
		tmp := b.Path(name) + ".tmp"
		cmd := exec.CommandContext(ctx, "go", append(Component{}.buildFlags(""), "-o", tmp, packages[name])...)
		cmd.Dir = root
		cmd.Env = append(os.Environ(), Component{}.environment()...)
		if out, err := cmd.CombinedOutput(); err != nil {
			os.Remove(tmp)
			return fmt.Errorf("compile %s: %w\n%s", packages[name], err, out)
		}
		if err := os.Rename(tmp, b.Path(name)); err != nil {
			return err
		}
	}
	return nil
}

// Static compiles a C program without shared libraries.
func Static(ctx context.Context, target, source string, flags ...string) error {
	if _, err := exec.LookPath("gcc"); err != nil {
		return fmt.Errorf("gcc is missing, which compiles %s: install the packages gcc and libc6-dev, or run `make setup`", filepath.Base(source))
	}
	tmp := target + ".tmp"
	args := append([]string{"-Os", "-Wall", "-Werror", "-static", "-s", "-Wl,--build-id=none", "-o", tmp}, flags...)
	if out, err := exec.CommandContext(ctx, "gcc", append(args, source)...).CombinedOutput(); err != nil {
		os.Remove(tmp)
		return fmt.Errorf("compile %s: %w\n%s", source, err, out)
	}
	return os.Rename(tmp, target)
}
