package apidocs

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

const schemas = `{"io.k8s.api.core.v1.Lifecycle":{"properties":{"preStop":{"type":"object"}%s}},"other":{"x":1.50}}`

func v2(property string) string {
	return `{"definitions":` + strings.Replace(schemas, "%s", property, 1) + `,"info":{"version":"v1.37.2"}}`
}

func v3(property string) string {
	return `{"components":{"schemas":` + strings.Replace(schemas, "%s", property, 1) + `},"info":{"version":"v1.37.2"}}`
}

const typeProperty = `,"type":{"type":"string"}`

// serve is an API server that has these documents.
func serve(t *testing.T, answers map[string]string) Documents {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		answer, ok := answers[req.URL.Path]
		if !ok || req.Header.Get("Authorization") != "Bearer secret" {
			http.NotFound(w, req)
			return
		}
		if req.URL.Path == "/apis" && req.Header.Get("Accept") != discoveryType {
			http.Error(w, "want aggregated discovery", http.StatusNotAcceptable)
			return
		}
		_, _ = w.Write([]byte(answer))
	}))
	defer server.Close()
	docs, err := Fetch(context.Background(), server.Client(), server.URL, "secret")
	if err != nil {
		t.Fatal(err)
	}
	return docs
}

func answers(property string) map[string]string {
	return map[string]string{
		"/apis":                    `{"items":[]}`,
		"/api/v1":                  `{"resources":[]}`,
		"/openapi/v2":              v2(property),
		"/openapi/v3":              `{"paths":{"api/v1":{},"version":{}}}`,
		"/openapi/v3/api/v1":       v3(property),
		"/openapi/v3/version":      `{"info":{"version":"v1.37.2"},"a":"<&>"}`,
		"/openapi/v3/not-in-index": `{}`,
	}
}

func TestFetchWritesAsUpstreamDoes(t *testing.T) {
	docs := serve(t, answers(""))
	if len(docs) != 5 {
		t.Errorf("got %d documents, want 5", len(docs))
	}
	want := "{\n  \"a\": \"<&>\",\n  \"info\": {\n    \"version\": \"unversioned\"\n  }\n}\n"
	if got := string(docs["openapi-spec/v3/version_openapi.json"]); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if !strings.Contains(string(docs["openapi-spec/swagger.json"]), "1.50") {
		t.Error("a number was written in another way")
	}
	if _, ok := docs["openapi-spec/v3/api__v1_openapi.json"]; !ok {
		t.Errorf("no document for api/v1 in %v", docs)
	}
}

func TestCompare(t *testing.T) {
	upstream := serve(t, answers(""))
	if wrong := Compare(serve(t, answers(typeProperty)), upstream); len(wrong) != 0 {
		t.Errorf("our documents are as they should be, but: %q", wrong)
	}
	for name, c := range map[string]struct {
		change func(a map[string]string)
		want   string
	}{
		"property missing":    {func(a map[string]string) { a["/openapi/v2"] = v2("") }, "swagger.json: the schema io.k8s.api.core.v1.Lifecycle lacks the property type"},
		"something else":      {func(a map[string]string) { a["/openapi/v3/version"] = `{"a":"b"}` }, "version_openapi.json: line 2"},
		"one more property":   {func(a map[string]string) { a["/openapi/v2"] = v2(typeProperty + `,"x":{}`) }, "swagger.json: line"},
		"document is missing": {func(a map[string]string) { a["/openapi/v3"] = `{"paths":{"api/v1":{}}}` }, "version_openapi.json: missing"},
		"one document more":   {func(a map[string]string) { a["/openapi/v3"] = `{"paths":{"api/v1":{},"version":{},"not-in-index":{}}}` }, "not-in-index_openapi.json: upstream has none"},
	} {
		t.Run(name, func(t *testing.T) {
			a := answers(typeProperty)
			c.change(a)
			wrong := Compare(serve(t, a), upstream)
			if len(wrong) != 1 || !strings.Contains(wrong[0], c.want) {
				t.Errorf("got %q, want one with %q", wrong, c.want)
			}
		})
	}
	if wrong := Compare(serve(t, answers(typeProperty)), serve(t, answers(typeProperty))); len(wrong) == 0 {
		t.Error("upstream has our property, and nobody notices")
	}
}
