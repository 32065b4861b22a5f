package compile

import "sidecar-node/build/internal/layout"

// Binary is one compiled Kubernetes binary.
type Binary struct {
	// Name is the name of the command, such as kubelet.
	Name string `json:"name"`
	// Path is the absolute path of the file.
	Path string `json:"-"`
	// SHA256 is the hash of the file, in hex.
	SHA256 string `json:"sha256"`
}

// Result is what Build made.
type Result struct {
	// Variant says which tree was compiled.
	Variant layout.Variant
	// Version is the version that every binary reports, such as
	// v1.37.2+sidecar.1.
	Version string
	// Binaries holds the binaries by name: kube-apiserver,
	// kube-controller-manager, kube-scheduler, kube-proxy, kubelet, kubeadm
	// and kubectl.
	Binaries map[string]Binary
}
