package gantt

import (
	_ "embed"
	"html/template"
	"io"
	"time"

	"sidecar-node/e2e/role"
)

// Page is what goes on one page.
type Page struct {
	Title string
	// Facts are printed below the title.
	Facts []string
	Specs []Spec
	// Verdict tells that the specs have passed or failed; otherwise the page is only
	// a picture.
	Verdict bool
}

// Spec is one spec of the suite, or one pod of a cluster.
type Spec struct {
	// Group names what the spec belongs to, and Within what it is part of there.
	Group  string
	Within []string
	Name   string
	Labels []string
	Failed bool
	Took   time.Duration
	// Failure is the message of a failure.
	Failure string
	// Folder leads from the page to the files of the spec, Files are their names.
	Folder string
	Files  []string
	Pods   []Pod
	// Source says where the records come from, if not from the journal.
	Source string
}

// page.html.tmpl and its parts are ours; what they are filled with is not, and
// html/template escapes it.
var (
	//go:embed page.html.tmpl
	pageText string
	//go:embed page.css
	pageStyle string
	//go:embed page.js
	pageScript string
)

var pageTemplate = template.Must(template.New("page").Parse(pageText))

// view is what the template sees.
type view struct {
	Page
	Style          template.CSS
	Script         template.JS
	Roles          []role.Role
	Groups         []group
	Sections       []group
	Passed, Failed int
}

// Write writes the page.
func Write(w io.Writer, p Page) error {
	v := view{Page: p, Style: template.CSS(pageStyle), Script: template.JS(pageScript), Roles: role.Roles, Groups: groups(p.Specs)}
	v.Sections = sections(v.Groups)
	for _, g := range v.Groups {
		v.Passed += g.Passed
		v.Failed += g.Failed
	}
	return pageTemplate.Execute(w, v)
}
