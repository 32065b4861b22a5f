package livepod

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"sidecar-node/e2e/config"
	"sidecar-node/e2e/framework"
	"sidecar-node/images/probe/record"
)

// apiServer answers as an API server would, with what lies at the path of a request;
// everything else is not found. A list holds nothing unless it is there.
func apiServer(t *testing.T, answers map[string]any) *framework.Cluster {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		answer, ok := answers[req.URL.Path]
		if c := req.URL.Query().Get("container"); c != "" {
			answer, ok = answers[req.URL.Path+"?"+c]
		}
		switch a := answer.(type) {
		case string:
			fmt.Fprint(w, a)
		case *unstructured.Unstructured:
			w.Header().Set("Content-Type", "application/json")
			_ = json.NewEncoder(w).Encode(a.Object)
		case []unstructured.Unstructured:
			w.Header().Set("Content-Type", "application/json")
			var items []any
			for _, o := range a {
				items = append(items, o.Object)
			}
			_ = json.NewEncoder(w).Encode(map[string]any{"apiVersion": "v1", "kind": "List", "metadata": map[string]any{}, "items": items})
		}
		if !ok {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusNotFound)
			fmt.Fprint(w, `{"apiVersion":"v1","kind":"Status","status":"Failure","reason":"NotFound","code":404,"message":"no such thing"}`)
		}
	}))
	t.Cleanup(server.Close)
	kubeconfig := filepath.Join(t.TempDir(), "kubeconfig")
	text := fmt.Sprintf("apiVersion: v1\nkind: Config\nclusters: [{name: c, cluster: {server: %q}}]\ncontexts: [{name: c, context: {cluster: c}}]\ncurrent-context: c\n", server.URL)
	if err := os.WriteFile(kubeconfig, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	settings, err := config.Load("../config/default.yaml")
	if err != nil {
		t.Fatal(err)
	}
	c, err := framework.Connect(kubeconfig, settings)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

const (
	pods    = "/api/v1/namespaces/shop/pods"
	events  = "/api/v1/namespaces/shop/events"
	readers = "/api/v1/namespaces/sidecar-e2e/pods"
)

func theRunningPod(t *testing.T) *unstructured.Unstructured {
	return object(t, podHead+fmt.Sprintf(`status:
  phase: Running
  containerStatuses:
  - {name: app, restartCount: 0, state: {running: {startedAt: %q}}}
  - {name: proxy, restartCount: 0, state: {running: {startedAt: %q}}}
`, at(4), at(1)))
}

func TestRead(t *testing.T) {
	nothing := []unstructured.Unstructured{}
	reader := *object(t, "apiVersion: v1\nkind: Pod\nmetadata: {name: reader-x, labels: {app: reader}}\nstatus: {conditions: [{type: Ready, status: \"True\"}]}\n")
	journal := strings.ReplaceAll(line(1, record.Start), `"run":1`, `"run":1,"pod":"web","uid":"u0"`) + strings.ReplaceAll(line(7, record.Start), `"run":1`, `"run":1,"pod":"web","uid":"u1"`)
	const journalPath = readers + "/http:reader-x:10753/proxy/v1/shop"
	for _, c := range []struct {
		name    string
		answers map[string]any
		want    string
		source  string
	}{
		{"from the status", map[string]any{pods + "/web": theRunningPod(t), events: []unstructured.Unstructured{anEvent(t, 3, "", "SidecarsReady")}, readers: nothing, pods + "/web/log?app": "hello\n"},
			"1 proxy start, 4 app start", "From the status and the events"},
		{"from the logs", map[string]any{pods + "/web": theRunningPod(t), events: nothing, readers: nothing,
			pods + "/web/log?app": line(5, record.Start), pods + "/web/log?proxy": line(2, record.Start) + line(3, record.Ready)},
			"2 proxy start, 3 proxy ready, 5 app start", "From the records in the logs of proxy, app."},
		{"from one log", map[string]any{pods + "/web": theRunningPod(t), events: nothing, readers: nothing, pods + "/web/log?app": line(5, record.Start)},
			"1 proxy start, 5 app start", "From the records in the logs of app. What is known of proxy is from the status"},
		{"from the journal", map[string]any{pods + "/web": theRunningPod(t), events: nothing, readers: []unstructured.Unstructured{reader}, journalPath: journal},
			"7 told start", "From the journal"},
		{"a pod that is gone", map[string]any{readers: []unstructured.Unstructured{reader}, journalPath: journal},
			"7 told start", "From the journal"},
		{"a journal that is broken", map[string]any{pods + "/web": theRunningPod(t), events: nothing, readers: []unstructured.Unstructured{reader}},
			"1 proxy start, 4 app start", "From the status and the events"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, err := Read(t.Context(), apiServer(t, c.answers), "shop", "web")
			if err != nil {
				t.Fatal(err)
			}
			if got := told(p.Records); got != c.want || !strings.HasPrefix(p.Source, c.source) {
				t.Errorf("got %s (%s), want %s (%s)", got, p.Source, c.want, c.source)
			}
			if text := p.Text(); !strings.HasPrefix(text, p.Source) || !strings.Contains(text, "pod web") {
				t.Errorf("the text is\n%s", text)
			}
		})
	}
}

func TestAMissingPodIsNamed(t *testing.T) {
	other := *object(t, "apiVersion: v1\nkind: Pod\nmetadata: {name: web-0}\n")
	_, err := Read(t.Context(), apiServer(t, map[string]any{readers: []unstructured.Unstructured{}, pods: []unstructured.Unstructured{other}}), "shop", "web")
	if err == nil || !strings.Contains(err.Error(), "namespace shop has no pod web, but web-0") {
		t.Errorf("got %v, want what there is", err)
	}
}

func TestParseName(t *testing.T) {
	if ns, pod, err := ParseName("shop/web-0"); ns != "shop" || pod != "web-0" || err != nil {
		t.Errorf("got %s, %s, %v", ns, pod, err)
	}
	for _, name := range []string{"", "web-0", "/web-0", "shop/", "a/b/c"} {
		if _, _, err := ParseName(name); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("%q", name)) || !strings.Contains(err.Error(), "default/web-0") {
			t.Errorf("%q: got %v, want what was found and what is wanted", name, err)
		}
	}
}
