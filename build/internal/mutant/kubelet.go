package mutant

import (
	"context"
	"fmt"

	"sidecar-node/e2e/framework"
)

const (
	kubeletFile  = "/usr/bin/kubelet"
	kubeletAside = kubeletFile + ".unmutated"
)

// keepKubelet keeps the node's own kubelet aside, unless an interrupted run has done so.
const keepKubelet = "[ -e " + kubeletAside + " ] || { cp -p " + kubeletFile + " " + kubeletAside + ".new && mv " + kubeletAside + ".new " + kubeletAside + "; }"

func putKubelet(ctx context.Context, node *framework.Node, _, file, sum string) error {
	if _, err := node.Shell(ctx, keepKubelet); err != nil {
		return err
	}
	if err := write(ctx, node, file, kubeletFile); err != nil {
		return err
	}
	if err := restartKubelet(ctx, node); err != nil {
		return err
	}
	// That it is the right one, and no longer the one before.
	const running = `sha256sum "/proc/$(systemctl show --property MainPID --value kubelet)/exe"`
	_, err := node.Shell(ctx, fmt.Sprintf("%s | grep -q ^%s", running, sum))
	return err
}

func restartKubelet(ctx context.Context, node *framework.Node) error {
	// Many in a row are no fault of a unit.
	_, err := node.Shell(ctx, "systemctl reset-failed kubelet; systemctl restart kubelet; "+framework.KubeletHealthy)
	return err
}

func restoreKubelet(ctx context.Context, node *framework.Node) error {
	const back = kubeletFile + ".new"
	out, err := node.Shell(ctx, "if [ -e "+kubeletAside+" ]; then cp -p "+kubeletAside+" "+back+" && mv "+back+" "+kubeletFile+"; echo restored; fi")
	if err != nil || out == "" {
		return err
	}
	if err := restartKubelet(ctx, node); err != nil {
		return err
	}
	// Last of all: as long as it is there, the next run knows that something is left to do.
	_, err = node.Shell(ctx, "rm "+kubeletAside)
	return err
}
