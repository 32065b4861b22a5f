package gantt

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"sidecar-node/e2e/role"
)

func TestBarsLieOnTheAxis(t *testing.T) {
	doc, _ := page(t, Page{Title: "x", Specs: []Spec{{Name: "s", Pods: []Pod{{
		Name: "pod", Containers: appAndProxy,
		Records: happen(t, "0 proxy start", "2 proxy ready", "4 app start", "5 app ready", "8 app exit 0", "8 proxy signal TERM", "10 proxy exit 0"),
	}}}}})
	var lanes []string
	for _, g := range find(find(doc, "main", "")[0], "g", "") {
		name := attribute(g, "data-lane")
		if name == "" {
			continue
		}
		lanes = append(lanes, name)
		for _, b := range find(g, "rect", "bar") {
			// The last of ten seconds lies at 92 %.
			lanes = append(lanes, fmt.Sprintf("%s %.1f+%.1f", strings.TrimPrefix(attribute(b, "class"), "bar "), place(t, b, "x")/9.2, place(t, b, "width")/9.2))
		}
	}
	want := []string{
		"gate", "gate-closed 0.0+4.0", "gate-open 4.0+4.0",
		"proxy", "not-ready 0.0+2.0", "ready 2.0+6.0", "stopping 8.0+2.0",
		"app", "not-ready 4.0+1.0", "ready 5.0+3.0",
	}
	if !slices.Equal(lanes, want) {
		t.Errorf("got  %q\nwant %q", lanes, want)
	}
	if opens := find(doc, "line", "opens"); len(opens) != 1 || place(t, opens[0], "x1") != 36.8 {
		t.Errorf("the gate opens at %d places", len(opens))
	}
	var titles []string
	for _, n := range find(find(doc, "main", "")[0], "title", "") {
		titles = append(titles, text(n))
	}
	for _, want := range []string{"proxy: ready, +2.000 s to +8.000 s (6.000 s)", "proxy: TERM arrives at +8.000 s", "app: exit with code 0 at +8.000 s"} {
		if !slices.Contains(titles, want) {
			t.Errorf("no title %q in %q", want, titles)
		}
	}
	if marks := find(find(doc, "main", "")[0], "g", "term"); len(marks) != 1 || text(find(marks[0], "text", "")[0]) != "TERM" {
		t.Errorf("got %d marks of TERM", len(marks))
	}
}

func TestALaneWithoutARecordSaysSo(t *testing.T) {
	doc, _ := page(t, Page{Specs: []Spec{{Pods: []Pod{{Name: "pod", Containers: appAndProxy, Records: happen(t, "0 proxy start", "1 proxy exit 0")}}}}})
	for _, g := range find(doc, "g", "") {
		if name := attribute(g, "data-lane"); name != "" && strings.Contains(text(g), "no start is recorded") != (name == "app") {
			t.Errorf("lane %s: %s", name, text(g))
		}
	}
}

func TestWhatFailedComesFirst(t *testing.T) {
	doc, _ := page(t, Page{Title: "x", Verdict: true, Specs: []Spec{
		{Group: "a", Name: "one", Took: time.Second},
		{Group: "b", Name: "two"},
		{Group: "b", Within: []string{"part"}, Name: "three", Failed: true, Failure: "the reason", Folder: "three", Files: []string{"journal.jsonl"}},
	}})
	var names []string
	for _, a := range find(doc, "article", "") {
		names = append(names, attribute(a, "class")+": "+strings.TrimSpace(attribute(a, "data-text")))
	}
	if want := []string{"failed: b › part › three", "passed: two", "passed: one"}; !slices.Equal(names, want) {
		t.Errorf("got %q, want %q", names, want)
	}
	failed := find(doc, "article", "failed")[0]
	if text(find(failed, "pre", "")[0]) != "the reason" || attribute(find(failed, "a", "")[0], "href") != "three/journal.jsonl" {
		t.Error("the reason or the files of the failed spec are missing")
	}
	if got := strings.Join(strings.Fields(text(find(doc, "p", "verdict")[0])), " "); got != "✓ 2 passed ✗ 1 failed" {
		t.Errorf("the verdict is %q", got)
	}
	// Every cell of the overview leads to its spec.
	for _, a := range find(find(doc, "div", "overview")[0], "a", "") {
		id := strings.TrimPrefix(attribute(a, "href"), "#")
		if !slices.ContainsFunc(find(doc, "article", ""), func(n *html.Node) bool { return attribute(n, "id") == id }) {
			t.Errorf("a cell leads to %s, which is not there", id)
		}
	}
}

func TestForeignTextStaysText(t *testing.T) {
	evil := `"'><script>alert(1)</script></title></style>{{.}}`
	records := happen(t, "0 proxy start", "1 app start", "2 app exit 1")
	records[2].Note = evil
	for i := range records {
		if records[i].Container == "app" {
			records[i].Container = evil
		}
	}
	plain, _ := page(t, Page{Verdict: true, Specs: []Spec{{Pods: []Pod{{Records: happen(t, "0 a start"), Notes: []string{"n"}}}, Failed: true, Failure: "f", Labels: []string{"l"}, Source: "s"}}})
	doc, _ := page(t, Page{Title: evil, Facts: []string{evil}, Verdict: true, Specs: []Spec{{
		Group: evil, Within: []string{evil}, Name: evil, Labels: []string{evil}, Failed: true, Failure: evil, Source: evil,
		Folder: `javascript:alert(1)//`, Files: []string{evil},
		Pods: []Pod{{Name: evil, Records: records, Notes: []string{evil}, Events: []Event{{Text: evil, At: zero}, {Container: evil, Text: evil, At: zero}},
			Containers: []role.Container{{Name: evil, Role: role.Role(evil)}, {Name: "proxy", Role: role.Sidecar}}}},
	}}})
	if got, want := len(find(doc, "script", "")), len(find(plain, "script", "")); got != want {
		t.Errorf("%d scripts, want %d", got, want)
	}
	for d := range doc.Descendants() {
		for _, a := range d.Attr {
			if (a.Key == "href" && strings.HasPrefix(a.Val, "javascript")) || (strings.HasPrefix(a.Key, "on") && a.Val != "return false") {
				t.Errorf("%s has %s=%q", d.Data, a.Key, a.Val)
			}
		}
	}
	if got := text(find(doc, "h1", "")[0]); got != evil {
		t.Errorf("the title is %q", got)
	}
	if got := text(find(doc, "pre", "")[0]); got != evil {
		t.Errorf("the failure is %q", got)
	}
}

// Nothing may be loaded: the page is looked at where there is no network.
func TestThePageStandsAlone(t *testing.T) {
	doc, out := page(t, Page{Title: "x", Verdict: true, Specs: []Spec{{Name: "s"}}})
	for d := range doc.Descendants() {
		for _, a := range d.Attr {
			if a.Key == "src" || (d.Data == "link" && a.Key == "href") || (d.Data == "use" && !strings.HasPrefix(a.Val, "#") && a.Key == "href") {
				t.Errorf("%s loads %s", d.Data, a.Val)
			}
		}
	}
	if m := regexp.MustCompile(`url\([^#)]|@import|https?:`).FindString(out); m != "" {
		t.Errorf("the page has %q", m)
	}
	for _, n := range find(doc, "use", "") {
		if id := attribute(n, "href")[1:]; !strings.Contains(out, `<path id="`+id+`"`) {
			t.Errorf("no drawing for %s", id)
		}
	}
}

func TestEmptyPagesAreWritten(t *testing.T) {
	for name, p := range map[string]Page{
		"nothing": {}, "no specs": {Verdict: true}, "a spec without pods": {Specs: []Spec{{Name: "s"}}},
		"a pod without records":      {Specs: []Spec{{Pods: []Pod{{Name: "pod"}}}}},
		"a pod that has not started": {Specs: []Spec{{Pods: []Pod{{Name: "pod", Containers: appAndProxy}}}}},
	} {
		doc, out := page(t, p)
		if strings.Contains(out, "NaN") || strings.Contains(out, "Inf") || strings.Contains(out, "ZgotmplZ") {
			t.Errorf("%s: a number or a text is wrong", name)
		}
		if len(find(doc, "main", "")) != 1 {
			t.Errorf("%s: no page", name)
		}
	}
}
