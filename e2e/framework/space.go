package framework

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
)

// PodResource and JobResource are what Get, Patch and Watch need to name the kind.
var (
	PodResource = schema.GroupVersionResource{Version: "v1", Resource: "pods"}
	JobResource = schema.GroupVersionResource{Group: "batch", Version: "v1", Resource: "jobs"}
)

var (
	eventResource     = schema.GroupVersionResource{Version: "v1", Resource: "events"}
	nodeResource      = schema.GroupVersionResource{Version: "v1", Resource: "nodes"}
	namespaceResource = schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}
	daemonSetResource = schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "daemonsets"}
)

// Space is the part of a cluster that belongs to one spec: a namespace, and a
// journal of the same name that outlives its pods.
type Space struct {
	*Cluster
	Namespace string

	// began is when the space was made.
	began    time.Time
	dynamic  dynamic.Interface
	warnings warnings
	made     made
}

// NewSpace makes a namespace and its journals. The name must be new in the cluster.
func (c *Cluster) NewSpace(ctx context.Context, name string) (*Space, error) {
	s := &Space{Cluster: c, Namespace: name, began: time.Now()}
	rc := rest.CopyConfig(c.rest)
	rc.WarningHandlerWithContext = &s.warnings
	var err error
	if s.dynamic, err = dynamic.NewForConfig(rc); err != nil {
		return nil, err
	}
	if err := c.createNamespace(ctx, name); err != nil {
		return nil, err
	}
	if err := s.eachReader(ctx, "PUT", "", nil); err != nil {
		return nil, err
	}
	return s, nil
}

// createNamespace makes a namespace whose pods may use the host's folders.
func (c *Cluster) createNamespace(ctx context.Context, name string) error {
	o := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "Namespace",
		"metadata": map[string]any{"name": name, "labels": map[string]any{"pod-security.kubernetes.io/enforce": "privileged"}},
	}}
	_, err := c.dynamic.Resource(namespaceResource).Create(ctx, o, metav1.CreateOptions{})
	return err
}

// Close kills what runs and removes the namespace, without waiting for its end.
func (s *Space) Close(ctx context.Context) error {
	now := int64(0)
	// From the first step on nothing can be made in the namespace, so no pod
	// comes back.
	return s.Insist(ctx, func(ctx context.Context) error {
		err := s.Cluster.dynamic.Resource(namespaceResource).Delete(ctx, s.Namespace, metav1.DeleteOptions{})
		return errors.Join(ignoreGone(err), s.Cluster.dynamic.Resource(PodResource).Namespace(s.Namespace).
			DeleteCollection(ctx, metav1.DeleteOptions{GracePeriodSeconds: &now}, metav1.ListOptions{}))
	})
}

// Insist repeats what cleans up until it succeeds: an API server that is busy
// or restarting must neither fail a spec that has passed nor leave things behind.
func (c *Cluster) Insist(ctx context.Context, do func(context.Context) error) error {
	var last error
	return c.poll(ctx, c.Config.Intervals.Setup.Duration, func(ctx context.Context) bool {
		last = do(ctx)
		return last == nil
	}, func() error { return last })
}

func ignoreGone(err error) error {
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}

// Apply creates the objects of a manifest, completed with what probes need.
func (s *Space) Apply(ctx context.Context, manifest string) error {
	return eachObject(manifest, func(o *unstructured.Unstructured) error {
		s.instrument(podSpec(o))
		_, err := s.create(ctx, o, metav1.CreateOptions{})
		return err
	})
}

// ApplyAsIs creates the objects of a manifest as they stand.
func (s *Space) ApplyAsIs(ctx context.Context, manifest string) error {
	return eachObject(manifest, func(o *unstructured.Unstructured) error {
		_, err := s.create(ctx, o, metav1.CreateOptions{})
		return err
	})
}

// ServerSideApply applies the objects of a manifest as they stand, as one manager who
// takes over what others own.
func (s *Space) ServerSideApply(ctx context.Context, manifest string) error {
	return eachObject(manifest, func(o *unstructured.Unstructured) error {
		mapping, err := s.mapper.RESTMapping(o.GroupVersionKind().GroupKind(), o.GroupVersionKind().Version)
		if err != nil {
			return err
		}
		made, err := s.dynamic.Resource(mapping.Resource).Namespace(s.Namespace).
			Apply(ctx, o.GetName(), o, metav1.ApplyOptions{FieldManager: "e2e", Force: true})
		if err == nil {
			s.made.note(made.GetKind(), made.GetName(), podSpec(made))
		}
		return err
	})
}

// DryRun has the API server judge the first object of a manifest as it stands,
// and returns what would be stored.
func (s *Space) DryRun(ctx context.Context, manifest string) (*unstructured.Unstructured, error) {
	objects, err := parse(manifest)
	if err != nil {
		return nil, err
	}
	if len(objects) != 1 {
		return nil, fmt.Errorf("want one object in the manifest, found %d:\n%s", len(objects), manifest)
	}
	s.instrument(podSpec(objects[0]))
	return s.create(ctx, objects[0], metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
}

func (s *Space) create(ctx context.Context, o *unstructured.Unstructured, opts metav1.CreateOptions) (*unstructured.Unstructured, error) {
	mapping, err := s.mapper.RESTMapping(o.GroupVersionKind().GroupKind(), o.GroupVersionKind().Version)
	if err != nil {
		return nil, err
	}
	// As kubectl's --validate=warn: unknown fields are dropped with a warning,
	// so that the suite can also run, and fail, on a cluster without the field.
	opts.FieldValidation = metav1.FieldValidationWarn
	client := s.dynamic.Resource(mapping.Resource).Namespace(s.Namespace)
	var made *unstructured.Unstructured
	var refused error
	err = s.poll(ctx, s.Config.Intervals.Setup.Duration, func(ctx context.Context) bool {
		made, refused = client.Create(ctx, o, opts)
		// The namespace's service account comes a moment after the namespace, or later
		// if a controller manager has to be elected first.
		return refused == nil || !(apierrors.IsForbidden(refused) && strings.Contains(refused.Error(), "serviceaccount"))
	}, func() error { return refused })
	if err == nil {
		err = refused
	}
	if err == nil && len(opts.DryRun) == 0 {
		// As it is stored: where the gate is off, a sidecar is none.
		s.made.note(made.GetKind(), made.GetName(), podSpec(made))
	}
	return made, err
}

// Get reads an object.
func (s *Space) Get(ctx context.Context, gvr schema.GroupVersionResource, name string) (*unstructured.Unstructured, error) {
	return s.dynamic.Resource(gvr).Namespace(s.Namespace).Get(ctx, name, metav1.GetOptions{})
}

// Patch changes an object.
func (s *Space) Patch(ctx context.Context, gvr schema.GroupVersionResource, name string, kind types.PatchType, patch []byte) (*unstructured.Unstructured, error) {
	return s.dynamic.Resource(gvr).Namespace(s.Namespace).Patch(ctx, name, kind, patch, metav1.PatchOptions{})
}

// Warnings returns the warnings that the API server has sent since the last call.
func (s *Space) Warnings() []string { return s.warnings.take() }

// warnings collects the Warning headers of answers.
type warnings struct {
	mu   sync.Mutex
	text []string
}

func (w *warnings) HandleWarningHeaderWithContext(_ context.Context, code int, _ string, text string) {
	// Other codes are not the API server's.
	if code != 299 {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.text = append(w.text, text)
}

func (w *warnings) take() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	t := w.text
	w.text = nil
	return t
}

// WaitError is a wait that was in vain.
type WaitError struct{ text string }

func (e *WaitError) Error() string { return e.text }

// GomegaString keeps Gomega from printing the text once more.
func (e *WaitError) GomegaString() string { return "a wait in vain" }

// timedOut describes a wait that was in vain, with the state of what was
// waited for.
func timedOut(limit time.Duration, what string, last error, state fmt.Stringer) error {
	text := fmt.Sprintf("waited %v in vain for %s", limit, what)
	if last != nil {
		text += fmt.Sprintf("; last: %v", last)
	}
	if state != nil {
		text += "\n\n" + state.String()
	}
	return &WaitError{text}
}

// LabelNamespace sets a label of the namespace.
func (s *Space) LabelNamespace(ctx context.Context, label, value string) error {
	patch := fmt.Sprintf(`{"metadata":{"labels":{%q:%q}}}`, label, value)
	_, err := s.Cluster.dynamic.Resource(namespaceResource).Patch(ctx, s.Namespace, types.MergePatchType, []byte(patch), metav1.PatchOptions{})
	return err
}

// RemoveJournal removes the journal of the space from all nodes.
func (s *Space) RemoveJournal(ctx context.Context) error {
	return s.Insist(ctx, func(ctx context.Context) error { return s.eachReader(ctx, http.MethodDelete, "", nil) })
}
