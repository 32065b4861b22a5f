package framework

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path"
	"strings"
)

// AddStaticPod puts the pod of the manifest among the static pods of the node and
// returns the file that it is in.
func (n *Node) AddStaticPod(ctx context.Context, s *Space, manifest string) (file string, err error) {
	objects, err := parse(manifest)
	if err != nil {
		return "", err
	}
	o := objects[0]
	o.SetNamespace(s.Namespace)
	s.instrument(podSpec(o))
	data, err := o.MarshalJSON()
	if err != nil {
		return "", err
	}
	file = "/etc/kubernetes/manifests/" + s.Namespace + ".json"
	if err := n.WriteFile(ctx, file, 0o644, bytes.NewReader(data)); err != nil {
		return file, err
	}
	s.made.note(o.GetKind(), o.GetName(), podSpec(o))
	return file, nil
}

// WriteFile makes a file of the node hold data, at once: whoever reads it sees all or
// nothing of it, and a program that runs from it goes on with what it was.
func (n *Node) WriteFile(ctx context.Context, name string, mode os.FileMode, data io.Reader) error {
	// The kubelet takes no file whose name begins with a dot for a static pod.
	tmp := path.Join(path.Dir(name), "."+path.Base(name)+".new")
	script := fmt.Sprintf("cat >'%[1]s' && chmod %[2]o '%[1]s' && mv '%[1]s' '%[3]s'", tmp, mode.Perm(), name)
	var errOut bytes.Buffer
	if err := n.node.CommandContext(ctx, "sh", "-ec", script).SetStdin(data).SetStderr(&errOut).Run(); err != nil {
		return fmt.Errorf("node %s: write %s: %w: %s", n.Name, name, err, strings.TrimSpace(errOut.String()))
	}
	return nil
}
