package framework

import (
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// Stock returns a client with the types of stock Kubernetes, which do not know the
// field, as most clients of a cluster are. It speaks protobuf if told so, else JSON.
// What the API server warns of is among the warnings of the space.
func (s *Space) Stock(protobuf bool) (kubernetes.Interface, error) {
	rc := rest.CopyConfig(s.rest)
	rc.WarningHandlerWithContext = &s.warnings
	if protobuf {
		rc.ContentType = "application/vnd.kubernetes.protobuf"
		rc.AcceptContentTypes = rc.ContentType
	}
	return kubernetes.NewForConfig(rc)
}
