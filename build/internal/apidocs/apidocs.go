// Package apidocs asks an API server for the documents about its API that upstream
// keeps in the folder api of its repository: OpenAPI and discovery. They come in
// the form in which upstream keeps them, so that they can be compared byte by byte.
package apidocs

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"
)

const discoveryType = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"

// Documents are JSON texts by their path below the folder api.
type Documents map[string][]byte

// Fetch asks the API server at the URL, with a bearer token.
func Fetch(ctx context.Context, client *http.Client, url, token string) (Documents, error) {
	get := func(path, accept string) (map[string]any, error) {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, url+path, nil)
		if err != nil {
			return nil, err
		}
		req.Header.Set("Authorization", "Bearer "+token)
		req.Header.Set("Accept", accept)
		resp, err := client.Do(req)
		if err != nil {
			return nil, err
		}
		defer resp.Body.Close()
		if resp.StatusCode != http.StatusOK {
			return nil, fmt.Errorf("%s: %s", path, resp.Status)
		}
		return decode(json.NewDecoder(resp.Body))
	}
	docs := Documents{}
	add := func(name string, content map[string]any) error {
		if info, ok := content["info"].(map[string]any); ok {
			info["version"] = "unversioned"
		}
		namePort(content)
		data, err := Format(content)
		docs[name] = data
		return err
	}
	discovery, err := get("/apis", discoveryType)
	if err != nil {
		return nil, err
	}
	v2, err := get("/openapi/v2", "application/json")
	if err != nil {
		return nil, err
	}
	if err := add("discovery/aggregated_v2.json", discovery); err != nil {
		return nil, err
	}
	if err := add("openapi-spec/swagger.json", v2); err != nil {
		return nil, err
	}
	index, err := get("/openapi/v3", "application/json")
	if err != nil {
		return nil, err
	}
	paths, ok := index["paths"].(map[string]any)
	if !ok || len(paths) == 0 {
		return nil, fmt.Errorf("/openapi/v3 lists no documents")
	}
	for group := range paths {
		doc, err := get("/openapi/v3/"+group, "application/json")
		if err != nil {
			return nil, err
		}
		name := strings.ReplaceAll(group, "/", "__")
		if err := add("openapi-spec/v3/"+name+"_openapi.json", doc); err != nil {
			return nil, err
		}
		if !strings.HasPrefix(group, "api") {
			continue
		}
		resources, err := get("/"+group, "application/json")
		if err != nil {
			return nil, err
		}
		if err := add("discovery/"+name+".json", resources); err != nil {
			return nil, err
		}
	}
	return docs, nil
}

// upstreamAddress is where upstream's API server says that it is.
const upstreamAddress = "10.10.10.10:8050"

// namePort makes the address in the list of API versions upstream's: the port depends
// on what is free.
func namePort(content map[string]any) {
	addresses, _ := content["serverAddressByClientCIDRs"].([]any)
	for _, a := range addresses {
		if address, ok := a.(map[string]any); ok {
			address["serverAddress"] = upstreamAddress
		}
	}
}

func decode(d *json.Decoder) (map[string]any, error) {
	// Numbers stay as they are written.
	d.UseNumber()
	var content map[string]any
	return content, d.Decode(&content)
}

// Format writes JSON as upstream does: keys sorted, two spaces a level.
func Format(content map[string]any) ([]byte, error) {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(content)
	return out.Bytes(), err
}

// await returns when the API server answers that it is ready.
func await(ctx context.Context, client *http.Client, url string, limit time.Duration) error {
	parent := ctx
	ctx, cancel := context.WithTimeout(parent, limit)
	defer cancel()
	for {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, url+"/readyz", nil)
		if err != nil {
			return err
		}
		if resp, err := client.Do(req); err == nil {
			resp.Body.Close()
			if resp.StatusCode == http.StatusOK {
				return nil
			}
		}
		select {
		case <-ctx.Done():
			if parent.Err() != nil {
				return context.Cause(parent)
			}
			return fmt.Errorf("the API server is not ready after %v", limit)
		case <-time.After(200 * time.Millisecond):
		}
	}
}
