package cluster

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
)

// LoadImage makes sure that every node has the image of that name and ID, which is in
// the archive. The kubelets never remove it: without a registry they could not get it
// back.
func (c *Cluster) LoadImage(ctx context.Context, archive, name, id string) error {
	return c.locked(ctx, func() error { return c.loadImage(ctx, archive, name, id) })
}

func (c *Cluster) loadImage(ctx context.Context, archive, name, id string) error {
	lack, err := c.nodesWithout(ctx, name, id)
	if err != nil || len(lack) == 0 {
		return err
	}
	start := time.Now()
	if _, err := output(c.kind(ctx, "load", "image-archive", archive, "--name", c.Name, "--nodes", strings.Join(lack, ","))); err != nil {
		return err
	}
	for _, node := range lack {
		pin := c.Engine.Command(ctx, "exec", node, "ctr", "--namespace", "k8s.io", "images", "label", name, "io.cri-containerd.pinned=pinned")
		if _, err := output(pin); err != nil {
			return fmt.Errorf("node %s, just loaded with %s: %w", node, archive, err)
		}
	}
	fmt.Fprintf(c.Out, "==> load %s into %d nodes of cluster %s (%.1f s)\n", name, len(lack), c.Name, time.Since(start).Seconds())
	return nil
}

// nodesWithout returns the nodes that don't have the image of that name and ID.
func (c *Cluster) nodesWithout(ctx context.Context, name, id string) ([]string, error) {
	nodes, err := c.nodes(ctx)
	if err != nil {
		return nil, err
	}
	var lack []string
	for _, node := range nodes {
		if isLoadBalancer(node) {
			continue
		}
		found, err := c.imageOnNode(ctx, node, name)
		if err != nil {
			return nil, err
		}
		if found != id {
			lack = append(lack, node)
		}
	}
	return lack, nil
}

// imageOnNode returns the ID of the image of that name on a node, and an empty string
// when the node doesn't have it for good. The list comes as a whole: containerd heeds no filter.
func (c *Cluster) imageOnNode(ctx context.Context, node, name string) (string, error) {
	out, err := output(c.Engine.Command(ctx, "exec", node, "crictl", "images", "--output", "json"))
	if err != nil {
		return "", fmt.Errorf("images of node %s: %w", node, err)
	}
	var list struct {
		Images []struct {
			ID       string   `json:"id"`
			RepoTags []string `json:"repoTags"`
			Pinned   bool     `json:"pinned"`
		} `json:"images"`
	}
	if err := json.Unmarshal([]byte(out), &list); err != nil {
		return "", fmt.Errorf("images of node %s: %w", node, err)
	}
	for _, image := range list.Images {
		if slices.Contains(image.RepoTags, name) && image.Pinned {
			return strings.TrimPrefix(image.ID, "sha256:"), nil
		}
	}
	return "", nil
}
