package lock

import (
	"strings"

	"golang.org/x/mod/semver"

	"sidecar-node/build/internal/layout"
)

// GitVersion is what the components of a variant report as their version:
// v1.37.2 for stock, v1.37.2+sidecar.1 for the distribution. It is a semantic
// version with build metadata, so that comparisons see v1.37.2.
func (l *Lock) GitVersion(v layout.Variant) string {
	if v == layout.Stock {
		return l.Kubernetes
	}
	return l.Kubernetes + "+" + l.Distribution
}

// ImageTag is the tag of the node image of a variant: v1.37.2 for stock,
// v1.37.2-sidecar.1 for the distribution. A tag cannot hold a plus sign.
func (l *Lock) ImageTag(v layout.Variant) string {
	return strings.ReplaceAll(l.GitVersion(v), "+", "-")
}

// Minor is the minor version of Kubernetes, such as 37.
func (l *Lock) Minor() string {
	return strings.TrimPrefix(semver.MajorMinor(l.Kubernetes), "v1.")
}
