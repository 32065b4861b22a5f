package engine

import (
	"context"
	"errors"
	"strings"
)

// Load reads an image archive, as docker save writes it or in the OCI layout,
// into the engine's store.
func (e *Engine) Load(ctx context.Context, archive string) error {
	_, err := e.output(ctx, "load", "--input", archive)
	return err
}

// ImageID returns the ID of the image with that name or ID, and an empty
// string when the engine doesn't have it. It never pulls.
func (e *Engine) ImageID(ctx context.Context, ref string) (string, error) {
	return e.id(ctx, "image", "inspect", "--format", "{{.Id}}", ref)
}

// ContainerImageID returns the ID of the image that the named container was
// made from, and an empty string when there is no such container.
func (e *Engine) ContainerImageID(ctx context.Context, container string) (string, error) {
	return e.id(ctx, "container", "inspect", "--format", "{{.Image}}", container)
}

// id runs an inspect command. Podman prints bare hexadecimal IDs and Docker
// puts the algorithm before them; the result is always bare.
func (e *Engine) id(ctx context.Context, args ...string) (string, error) {
	out, err := e.output(ctx, args...)
	if absent(err) {
		return "", nil
	}
	return strings.TrimPrefix(strings.TrimSpace(out), "sha256:"), err
}

// RemoveImage removes the image with that name or ID; an absent one is fine.
func (e *Engine) RemoveImage(ctx context.Context, ref string) error {
	_, err := e.output(ctx, "image", "rm", ref)
	if absent(err) {
		return nil
	}
	return err
}

// absent reports whether err says that an object doesn't exist. Neither engine
// has an exit code for it.
func absent(err error) bool {
	var failed *Error
	if !errors.As(err, &failed) {
		return false
	}
	text := strings.ToLower(failed.Text)
	for _, s := range []string{"no such image", "image not known", "no such container", "no container with name or id", "no such object"} {
		if strings.Contains(text, s) {
			return true
		}
	}
	return false
}
