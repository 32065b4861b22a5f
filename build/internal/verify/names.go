package verify

import (
	"bytes"
	"context"
	"fmt"
	"regexp"
)

// forbidden names belong to one machine or one site; files that name them work
// there only. The expressions don't match themselves.
var forbidden = []struct {
	what string
	expr *regexp.Regexp
}{
	{"a folder of one machine", regexp.MustCompile(`(^|[^a-zA-Z0-9_./-])/(work|root|tmp/w|home/[a-z]+)/[a-z]`)},
	{"the host of a Go module proxy", regexp.MustCompile(`\b(proxy|sum)[.]golang[.]org|\bgoproxy[.][a-z]+`)},
	{"the host of a Debian or Ubuntu mirror", regexp.MustCompile(`\b(deb|security|ftp|snapshot)[.]debian[.]org|\b(archive|security|ports)[.]ubuntu[.]com`)},
	{"the host of an npm registry", regexp.MustCompile(`\bregistry[.](npmjs[.]org|yarnpkg[.]com)`)},
	{"the host of the registry of Kubernetes' images, which kubeadm names at run time", regexp.MustCompile(`\b(registry[.]k8s[.]io|k8s[.]gcr[.]io)`)},
}

var names = Check{
	Name: "names",
	What: "no file names a folder of one machine, a package mirror or a registry",
	Mend: "take the name from the environment or from configuration at run time",
	Run: func(_ context.Context, r *Repository) error {
		var wrong []string
		for _, f := range r.Files {
			if !f.text() {
				continue
			}
			for i, line := range bytes.Split(f.Data, []byte("\n")) {
				for _, n := range forbidden {
					if found := n.expr.Find(line); found != nil {
						wrong = append(wrong, fmt.Sprintf("%s:%d: %q is %s", f.Path, i+1, bytes.TrimSpace(found), n.what))
					}
				}
			}
		}
		return problems(wrong)
	},
}
