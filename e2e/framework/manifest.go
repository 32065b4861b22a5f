package framework

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"
	sigsyaml "sigs.k8s.io/yaml"
)

// parse reads the objects of a YAML text.
func parse(text string) ([]*unstructured.Unstructured, error) {
	var objects []*unstructured.Unstructured
	docs := yaml.NewYAMLReader(bufio.NewReader(strings.NewReader(text)))
	for {
		doc, err := docs.Read()
		if errors.Is(err, io.EOF) {
			return objects, nil
		}
		if err != nil {
			return nil, err
		}
		if len(bytes.TrimSpace(doc)) == 0 {
			continue
		}
		var content map[string]any
		if err := sigsyaml.UnmarshalStrict(doc, &content); err != nil {
			return nil, fmt.Errorf("%w in:\n%s", err, doc)
		}
		if content == nil {
			continue
		}
		objects = append(objects, &unstructured.Unstructured{Object: content})
	}
}

// eachObject hands the objects of a YAML text to do, of which there has to be one.
func eachObject(text string, do func(*unstructured.Unstructured) error) error {
	objects, err := parse(text)
	if err != nil {
		return err
	}
	if len(objects) == 0 {
		return fmt.Errorf("no object in the manifest:\n%s", text)
	}
	for _, o := range objects {
		if err := do(o); err != nil {
			return err
		}
	}
	return nil
}

// podSpec returns the pod spec inside an object, or nil if there is none.
func podSpec(o *unstructured.Unstructured) map[string]any {
	path := []string{"spec", "template", "spec"}
	switch o.GetKind() {
	case "Pod":
		path = []string{"spec"}
	case "CronJob":
		path = []string{"spec", "jobTemplate", "spec", "template", "spec"}
	case "PodTemplate":
		path = []string{"template", "spec"}
	}
	at := o.Object
	for _, p := range path {
		next, ok := at[p].(map[string]any)
		if !ok {
			return nil
		}
		at = next
	}
	return at
}

// instrument completes a pod spec with what every probe needs and no test is
// about: the image, the journal, and the name under which to write there.
// Containers with an image of their own are left alone, apart from the
// journal.
func (s *Space) instrument(spec map[string]any) {
	if spec == nil {
		return
	}
	spec["automountServiceAccountToken"] = false
	spec["volumes"] = add(spec["volumes"], map[string]any{
		"name":     "probe-journal",
		"hostPath": map[string]any{"path": s.Config.Journal.HostPath + "/" + s.Namespace, "type": "DirectoryOrCreate"},
	})
	for _, list := range []string{"initContainers", "containers"} {
		containers, _ := spec[list].([]any)
		for _, c := range containers {
			container, ok := c.(map[string]any)
			if !ok {
				continue
			}
			if container["image"] == nil {
				container["image"] = s.Config.Image
			}
			container["volumeMounts"] = add(container["volumeMounts"], map[string]any{"name": "probe-journal", "mountPath": "/journal"})
			field := func(path string) map[string]any {
				return map[string]any{"fieldRef": map[string]any{"fieldPath": path}}
			}
			container["env"] = add(container["env"],
				map[string]any{"name": "PROBE_CONTAINER", "value": container["name"]},
				map[string]any{"name": "PROBE_JOURNAL", "value": "/journal"},
				map[string]any{"name": "PROBE_POD", "valueFrom": field("metadata.name")},
				map[string]any{"name": "PROBE_POD_UID", "valueFrom": field("metadata.uid")},
			)
		}
	}
}

func add(list any, items ...map[string]any) []any {
	l, _ := list.([]any)
	for _, i := range items {
		l = append(l, i)
	}
	return l
}
