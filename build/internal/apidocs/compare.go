package apidocs

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// Lifecycle is the schema that the distribution changes, and Property what it adds.
const (
	Lifecycle = "io.k8s.api.core.v1.Lifecycle"
	Property  = "type"
)

// Compare returns what is wrong with our documents, given those of upstream: each has
// to be upstream's, byte by byte, apart from the property that we add to the schema,
// wherever upstream has that schema.
func Compare(ours, upstream Documents) []string {
	var wrong []string
	for _, name := range slices.Sorted(maps.Keys(upstream)) {
		if _, ok := ours[name]; !ok {
			wrong = append(wrong, name+": missing, upstream has it")
		}
	}
	changed := 0
	for _, name := range slices.Sorted(maps.Keys(ours)) {
		theirs, ok := upstream[name]
		if !ok {
			wrong = append(wrong, name+": upstream has none")
			continue
		}
		want, with, err := expected(ours[name], theirs)
		if err != nil {
			wrong = append(wrong, fmt.Sprintf("%s: %v", name, err))
			continue
		}
		if with {
			changed++
		}
		if !bytes.Equal(want, ours[name]) {
			wrong = append(wrong, name+": "+firstDifference(want, ours[name]))
		}
	}
	if changed == 0 {
		wrong = append(wrong, "no document has the schema "+Lifecycle)
	}
	return wrong
}

// expected returns upstream's document with our property taken over from ours, and
// whether it has the schema.
func expected(ours, upstream []byte) ([]byte, bool, error) {
	want, err := decode(json.NewDecoder(bytes.NewReader(upstream)))
	if err != nil {
		return nil, false, err
	}
	schema := schemaOf(want)
	if schema == nil {
		return upstream, false, nil
	}
	got, err := decode(json.NewDecoder(bytes.NewReader(ours)))
	if err != nil {
		return nil, false, err
	}
	property, ok := properties(schemaOf(got))[Property]
	if !ok {
		return nil, true, fmt.Errorf("the schema %s lacks the property %s", Lifecycle, Property)
	}
	if properties(schema)[Property] != nil {
		return nil, true, fmt.Errorf("upstream's schema %s has the property %s by now", Lifecycle, Property)
	}
	properties(schema)[Property] = property
	data, err := Format(want)
	return data, true, err
}

// schemaOf returns the schema in a document of OpenAPI v2 or v3, nil if it has none.
func schemaOf(doc map[string]any) map[string]any {
	list, ok := doc["definitions"].(map[string]any)
	if !ok {
		components, _ := doc["components"].(map[string]any)
		list, _ = components["schemas"].(map[string]any)
	}
	schema, _ := list[Lifecycle].(map[string]any)
	return schema
}

func properties(schema map[string]any) map[string]any {
	p, _ := schema["properties"].(map[string]any)
	return p
}

func firstDifference(want, got []byte) string {
	a, b := bytes.Split(want, []byte("\n")), bytes.Split(got, []byte("\n"))
	for i := range min(len(a), len(b)) {
		if !bytes.Equal(a[i], b[i]) {
			return fmt.Sprintf("line %d: want %q, found %q", i+1, bytes.TrimSpace(a[i]), bytes.TrimSpace(b[i]))
		}
	}
	return fmt.Sprintf("want %d lines, found %d", len(a), len(b))
}
