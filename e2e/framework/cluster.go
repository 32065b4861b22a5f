// Package framework is how the suite talks to a cluster. Its functions return
// errors and judge nothing.
package framework

import (
	"context"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
	"k8s.io/client-go/tools/clientcmd"

	"sidecar-node/e2e/config"
)

// requestTimeout ends a request to an API server that does not answer.
const requestTimeout = 30 * time.Second

// Cluster is a running cluster.
type Cluster struct {
	Config config.Config

	rest      *rest.Config
	dynamic   dynamic.Interface
	discovery discovery.DiscoveryInterface
	mapper    *restmapper.DeferredDiscoveryRESTMapper
	raw       rest.Interface
}

// Connect returns the cluster that kubeconfig leads to; an empty name means
// the usual places ($KUBECONFIG, ~/.kube/config).
func Connect(kubeconfig string, c config.Config) (*Cluster, error) {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	if kubeconfig != "" {
		rules.ExplicitPath = kubeconfig
	}
	rc, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, nil).ClientConfig()
	if err != nil {
		return nil, fmt.Errorf("no cluster to talk to (set KUBECONFIG): %w", err)
	}
	rc.Timeout = requestTimeout
	// Specs run side by side and poll; the server's own fairness is enough.
	rc.QPS = -1
	rc.WarningHandlerWithContext = rest.NoWarnings{}
	cl := &Cluster{Config: c, rest: rc}
	if cl.dynamic, err = dynamic.NewForConfig(rc); err != nil {
		return nil, err
	}
	d, err := discovery.NewDiscoveryClientForConfig(rc)
	if err != nil {
		return nil, err
	}
	cl.discovery = d
	cl.raw = d.RESTClient()
	cl.mapper = restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(d))
	return cl, nil
}

// Version is what the API server says about itself, such as v1.37.2.
func (c *Cluster) Version() (string, error) {
	v, err := c.discovery.ServerVersion()
	if err != nil {
		return "", fmt.Errorf("asking %s for its version: %w", c.rest.Host, err)
	}
	return v.GitVersion, nil
}

// poll calls done until it returns true, the context ends, or limit has
// passed; then it returns the error that explain gives. The limit does not cut
// short a request, so that the last error is about the cluster and not about us.
func (c *Cluster) poll(ctx context.Context, limit time.Duration, done func(context.Context) bool, explain func() error) error {
	end := time.After(limit)
	tick := time.NewTicker(c.Config.Intervals.Poll.Duration)
	defer tick.Stop()
	for {
		if done(ctx) {
			return nil
		}
		select {
		case <-ctx.Done():
			return explain()
		case <-end:
			return explain()
		case <-tick.C:
		}
	}
}

// NodeLabel returns the value of a label of a node.
func (c *Cluster) NodeLabel(ctx context.Context, node, label string) (string, error) {
	o, err := c.dynamic.Resource(nodeResource).Get(ctx, node, metav1.GetOptions{})
	if err != nil {
		return "", err
	}
	return o.GetLabels()[label], nil
}

// NodeWithLabel returns the name of the node whose label has the value.
func (c *Cluster) NodeWithLabel(ctx context.Context, label, value string) (string, error) {
	list, err := c.dynamic.Resource(nodeResource).List(ctx, metav1.ListOptions{LabelSelector: label + "=" + value})
	if err != nil {
		return "", err
	}
	if len(list.Items) != 1 {
		return "", fmt.Errorf("%d nodes have the label %s=%s, want one", len(list.Items), label, value)
	}
	return list.Items[0].GetName(), nil
}
