// Command go-client applies a Job with a sidecar from Go, with the types of this
// distribution. With --print it only shows the object, as one creates it.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/yaml"
)

func main() {
	show := flag.Bool("print", false, "print the Job instead of applying it")
	namespace := flag.String("namespace", "default", "namespace of the Job")
	flag.Parse()
	if err := run(context.Background(), *namespace, *show); err != nil {
		fmt.Fprintln(os.Stderr, "go-client:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, namespace string, show bool) error {
	if show {
		text, err := yaml.Marshal(typedJob("from-go"))
		fmt.Print(string(text))
		return err
	}
	config, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(clientcmd.NewDefaultClientConfigLoadingRules(), nil).ClientConfig()
	if err != nil {
		return fmt.Errorf("no cluster to talk to (set KUBECONFIG): %w", err)
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	job, err := client.BatchV1().Jobs(namespace).Apply(ctx, appliedJob("from-go", namespace), metav1.ApplyOptions{FieldManager: "go-client"})
	if err != nil {
		return err
	}
	proxy := job.Spec.Template.Spec.Containers[1]
	if proxy.Lifecycle == nil || proxy.Lifecycle.Type == nil {
		return fmt.Errorf("applied job %s/%s, but container %s is no sidecar: the cluster has the feature gate SidecarContainers off", job.Namespace, job.Name, proxy.Name)
	}
	fmt.Printf("applied job %s/%s; container %s is a %s\n", job.Namespace, job.Name, proxy.Name, *proxy.Lifecycle.Type)
	return nil
}
