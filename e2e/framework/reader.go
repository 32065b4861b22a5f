package framework

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"sidecar-node/e2e/journal"
	"sidecar-node/images/probe/record"
)

// Journals lie in a folder of the node, so that they outlive pods, containers
// and reboots. A daemon of the probe image on each node reads them, and the API
// server's proxy leads to it: nothing here depends on how the nodes are made.

const readerNamespace = "sidecar-e2e"

// readerManifest uses the host's network, so that reading goes on while the
// pod network or the kubelet is disturbed. Its priority keeps it on nodes that are
// short of something.
const readerManifest = `
apiVersion: apps/v1
kind: DaemonSet
metadata:
  name: reader
spec:
  selector:
    matchLabels: {app: reader}
  template:
    metadata:
      labels: {app: reader}
    spec:
      hostNetwork: true
      priorityClassName: system-node-critical
      automountServiceAccountToken: false
      terminationGracePeriodSeconds: 1
      tolerations:
      - operator: Exists
      containers:
      - name: reader
        image: IMAGE
        args: [reader, --dir=/journals, "--listen=:PORT"]
        readinessProbe:
          httpGet: {path: /healthz, port: PORT}
          periodSeconds: 1
        volumeMounts:
        - {name: journals, mountPath: /journals}
      volumes:
      - name: journals
        hostPath: {path: HOSTPATH, type: DirectoryOrCreate}
`

// InstallReader starts the readers and returns when one runs on every node. A
// reader that is there already is used.
func (c *Cluster) InstallReader(ctx context.Context) error {
	manifest := strings.NewReplacer(
		"IMAGE", c.Config.Image,
		"PORT", strconv.Itoa(c.Config.Journal.Port),
		"HOSTPATH", c.Config.Journal.HostPath,
	).Replace(readerManifest)
	objects, err := parse(manifest)
	if err != nil {
		return err
	}
	s := &Space{Cluster: c, Namespace: readerNamespace, dynamic: c.dynamic}
	if err := c.createReader(ctx, s, objects[0]); err != nil {
		return err
	}
	var last error
	limit := c.Config.Intervals.Setup.Duration
	return c.poll(ctx, limit, func(ctx context.Context) bool {
		last = c.readersMissing(ctx)
		return last == nil
	}, func() error {
		return timedOut(limit, fmt.Sprintf("a reader of journals on every node (kubectl -n %s get pods -o wide; is the image %s on the nodes?)", readerNamespace, c.Config.Image), last, nil)
	})
}

// createReader makes the namespace and the daemon of the readers, unless they are there.
// An earlier run may be busy to remove them.
func (c *Cluster) createReader(ctx context.Context, s *Space, daemon *unstructured.Unstructured) error {
	var err error
	waitErr := c.poll(ctx, c.Config.Intervals.Setup.Duration, func(ctx context.Context) bool {
		if err = c.createNamespace(ctx, readerNamespace); err != nil && !apierrors.IsAlreadyExists(err) {
			return true
		}
		if _, err = s.create(ctx, daemon, metav1.CreateOptions{}); apierrors.IsAlreadyExists(err) {
			err = nil
		}
		return !apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause)
	}, func() error { return err })
	if waitErr != nil {
		return waitErr
	}
	return err
}

// readersMissing returns an error unless a reader runs on every node that is ready.
func (c *Cluster) readersMissing(ctx context.Context) error {
	nodes, err := c.readyNodes(ctx)
	if err != nil {
		return err
	}
	readers, err := c.readers(ctx)
	if err == nil && len(readers) < len(nodes) {
		err = fmt.Errorf("%d of %d nodes have a reader of journals", len(readers), len(nodes))
	}
	return err
}

// RemoveReader stops the readers, after they have removed the journals whose
// names begin with prefix.
func (c *Cluster) RemoveReader(ctx context.Context, prefix string) error {
	s := &Space{Cluster: c, Namespace: prefix + "*"}
	err := c.Insist(ctx, func(ctx context.Context) error { return s.eachReader(ctx, http.MethodDelete, "", nil) })
	return errors.Join(err, c.Insist(ctx, func(ctx context.Context) error {
		return ignoreGone(c.dynamic.Resource(namespaceResource).Delete(ctx, readerNamespace, metav1.DeleteOptions{}))
	}))
}

// readers returns the names of the reader pods that are ready.
func (c *Cluster) readers(ctx context.Context) ([]string, error) {
	list, err := c.dynamic.Resource(PodResource).Namespace(readerNamespace).List(ctx, metav1.ListOptions{LabelSelector: "app=reader"})
	if err != nil {
		return nil, err
	}
	var names []string
	for _, o := range list.Items {
		var pod corev1.Pod
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(o.Object, &pod); err != nil {
			return nil, err
		}
		if pod.DeletionTimestamp == nil && podReady(&pod) {
			names = append(names, pod.Name)
		}
	}
	return names, nil
}

// eachReader sends one request about the space's journal to every node and
// hands the answers to take.
func (s *Space) eachReader(ctx context.Context, verb, file string, take func([]byte) error) error {
	readers, err := s.readers(ctx)
	if err != nil {
		return err
	}
	if len(readers) == 0 {
		return fmt.Errorf("no reader of journals is ready in namespace %s", readerNamespace)
	}
	for _, pod := range readers {
		path := fmt.Sprintf("/api/v1/namespaces/%s/pods/http:%s:%d/proxy/v1/%s", readerNamespace, pod, s.Config.Journal.Port, s.Namespace)
		if file != "" {
			path += "/" + file
		}
		body, err := s.raw.Verb(verb).AbsPath(path).Do(ctx).Raw()
		if err != nil {
			return fmt.Errorf("reader %s: %w: %s", pod, err, bytes.TrimSpace(body))
		}
		if take != nil {
			if err := take(body); err != nil {
				return fmt.Errorf("reader %s: %w", pod, err)
			}
		}
	}
	return nil
}

// Journal reads what the probes of this space have written so far, on all nodes.
func (s *Space) Journal(ctx context.Context) (journal.Timeline, error) {
	var records []record.Record
	err := s.eachReader(ctx, http.MethodGet, "", func(body []byte) error {
		r, err := record.Parse(bytes.NewReader(body))
		records = append(records, r...)
		return err
	})
	return journal.New(records), err
}

// Touch makes the file /journal/NAME that probes of this space may wait for.
func (s *Space) Touch(ctx context.Context, name string) error {
	return s.eachReader(ctx, http.MethodPut, name, nil)
}

// Untouch removes such a file.
func (s *Space) Untouch(ctx context.Context, name string) error {
	return s.eachReader(ctx, http.MethodDelete, name, nil)
}

// AwaitJournal waits until done is nil for the journal, and returns the
// journal as it was then. The error of a wait in vain is done's last one.
func (s *Space) AwaitJournal(ctx context.Context, limit time.Duration, what string, done func(journal.Timeline) error) (journal.Timeline, error) {
	var tl journal.Timeline
	var last error
	err := s.poll(ctx, limit, func(ctx context.Context) bool {
		now, err := s.Journal(ctx)
		if err != nil {
			last = err
			return false
		}
		tl, last = now, done(now)
		return last == nil
	}, func() error { return timedOut(limit, what, last, nil) })
	return tl, err
}

// AwaitPoint waits until the journal has the point.
func (s *Space) AwaitPoint(ctx context.Context, limit time.Duration, p journal.Point) (journal.Timeline, error) {
	return s.AwaitJournal(ctx, limit, p.String(), func(tl journal.Timeline) error { return tl.Has(p) })
}
