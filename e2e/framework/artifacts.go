package framework

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	"sidecar-node/e2e/artifact"
)

// SaveJournal writes the timeline, as text and as records, into dir, and what the
// containers in it are for.
func (s *Space) SaveJournal(ctx context.Context, dir string) error {
	tl, err := s.Journal(ctx)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	var lines bytes.Buffer
	for _, r := range tl.Records() {
		if err := json.NewEncoder(&lines).Encode(r); err != nil {
			return err
		}
	}
	return errors.Join(
		os.WriteFile(filepath.Join(dir, artifact.Journal), lines.Bytes(), 0o644),
		os.WriteFile(filepath.Join(dir, artifact.Timeline), []byte(tl.String()), 0o644),
		artifact.WriteRoles(dir, s.made.list()),
	)
}

// SaveState writes what the API server knows about the space into dir: pods,
// Jobs and events.
func (s *Space) SaveState(ctx context.Context, dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	var errs []error
	for name, gvr := range map[string]schema.GroupVersionResource{"pods": PodResource, "jobs": JobResource} {
		list, err := s.dynamic.Resource(gvr).Namespace(s.Namespace).List(ctx, metav1.ListOptions{})
		if err != nil {
			errs = append(errs, err)
			continue
		}
		var text bytes.Buffer
		for _, o := range list.Items {
			unstructured.RemoveNestedField(o.Object, "metadata", "managedFields")
			data, err := yaml.Marshal(o.Object)
			errs = append(errs, err)
			text.WriteString("---\n")
			text.Write(data)
		}
		errs = append(errs, os.WriteFile(filepath.Join(dir, name+".yaml"), text.Bytes(), 0o644))
	}
	events, err := s.Events(ctx)
	errs = append(errs, err, os.WriteFile(filepath.Join(dir, "events.txt"), []byte(strings.Join(events, "\n")+"\n"), 0o644))
	return errors.Join(errs...)
}

// SaveLogs writes what kubelet and containerd of every node have logged since the space
// was made into dir. Where the nodes are out of reach, a file says so instead.
func (s *Space) SaveLogs(ctx context.Context, dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	nodes, err := s.Nodes(ctx)
	if err != nil {
		return os.WriteFile(filepath.Join(dir, "no-node-logs.txt"), []byte(err.Error()+"\n"), 0o644)
	}
	var errs []error
	for _, node := range nodes {
		text, err := node.Shell(ctx, fmt.Sprintf("journalctl --no-pager --output=short-precise --unit=kubelet --unit=containerd --since=@%d", s.began.Unix()))
		errs = append(errs, err, os.WriteFile(filepath.Join(dir, node.Name+".log"), []byte(text), 0o644))
	}
	return errors.Join(errs...)
}

// Events returns the events of the space in the order in which they came, a
// line each.
func (s *Space) Events(ctx context.Context) ([]string, error) {
	list, err := s.dynamic.Resource(eventResource).Namespace(s.Namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	var lines []string
	for _, e := range list.Items {
		text := func(fields ...string) string {
			v, _, _ := unstructured.NestedString(e.Object, fields...)
			return v
		}
		at := text("lastTimestamp")
		if at == "" {
			at = text("eventTime")
		}
		lines = append(lines, fmt.Sprintf("%s %s %s/%s %s: %s", at, text("type"), text("involvedObject", "kind"), text("involvedObject", "name"), text("reason"), text("message")))
	}
	sort.Strings(lines)
	return lines, nil
}
