package nodeimage

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"slices"
	"strings"
)

// wanted asks kubeadm for the images that it will use.
func wanted(ctx context.Context, kubeadm, version string) ([]string, error) {
	cmd := exec.CommandContext(ctx, kubeadm, "config", "images", "list", "--kubernetes-version", version)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("ask %s which images it wants: %w\n%s", kubeadm, err, stderr.String())
	}
	listed := strings.Fields(string(out))
	if !slices.ContainsFunc(listed, func(ref string) bool { return strings.Contains(ref, "/pause:") }) {
		return nil, fmt.Errorf("kubeadm wants the images %v: want a pause image among them", listed)
	}
	return listed, nil
}
