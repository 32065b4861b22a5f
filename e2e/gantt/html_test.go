package gantt

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// page writes the page and parses it again.
func page(t *testing.T, p Page) (*html.Node, string) {
	t.Helper()
	var out bytes.Buffer
	if err := Write(&out, p); err != nil {
		t.Fatal(err)
	}
	doc, err := html.Parse(bytes.NewReader(out.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	return doc, out.String()
}

func attribute(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

// find returns the elements of that name with the class, any if it is empty.
func find(n *html.Node, name, class string) []*html.Node {
	var found []*html.Node
	for d := range n.Descendants() {
		if d.Type == html.ElementNode && d.Data == name && (class == "" || slices.Contains(strings.Fields(attribute(d, "class")), class)) {
			found = append(found, d)
		}
	}
	return found
}

func text(n *html.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			b.WriteString(d.Data)
		}
	}
	return b.String()
}

// place is an attribute in percent.
func place(t *testing.T, n *html.Node, key string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(strings.TrimSuffix(attribute(n, key), "%"), 64)
	if err != nil {
		t.Fatalf("%s: %v", key, err)
	}
	return v
}
