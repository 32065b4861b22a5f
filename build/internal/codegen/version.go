package codegen

import (
	"context"
	"os/exec"
	"runtime"
	"strings"
)

// Version names the programs from outside the tree that decide what the
// generators write.
func Version(ctx context.Context) (string, error) {
	out, err := exec.CommandContext(ctx, "protoc", "--version").Output()
	if err != nil {
		return "", errNoProtoc
	}
	return strings.TrimSpace(string(out)) + " " + runtime.Version(), nil
}
