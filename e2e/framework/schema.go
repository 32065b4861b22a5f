package framework

import (
	"encoding/json"
	"fmt"
)

// FieldDoc returns what the API server documents about a field of a core/v1
// type; kubectl explain prints the same text.
func (c *Cluster) FieldDoc(typeName, field string) (string, error) {
	paths, err := c.discovery.OpenAPIV3().Paths()
	if err != nil {
		return "", err
	}
	core, ok := paths["api/v1"]
	if !ok {
		return "", fmt.Errorf("the API server publishes no schema for api/v1")
	}
	data, err := core.Schema("application/json")
	if err != nil {
		return "", err
	}
	var doc struct {
		Components struct {
			Schemas map[string]struct {
				Properties map[string]struct {
					Description string `json:"description"`
				} `json:"properties"`
			} `json:"schemas"`
		} `json:"components"`
	}
	if err := json.Unmarshal(data, &doc); err != nil {
		return "", err
	}
	name := "io.k8s.api.core.v1." + typeName
	schema, ok := doc.Components.Schemas[name]
	if !ok {
		return "", fmt.Errorf("the schema of api/v1 has no %s", name)
	}
	property, ok := schema.Properties[field]
	if !ok {
		return "", fmt.Errorf("%s has no field %q in the schema", name, field)
	}
	return property.Description, nil
}
