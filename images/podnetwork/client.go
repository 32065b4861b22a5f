package main

import (
	"context"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"
)

// connect returns a client for the first address of the API server that
// answers: endpoint when it is not empty, and the Service of the cluster. It
// tries until ctx ends.
func connect(ctx context.Context, endpoint string) (kubernetes.Interface, error) {
	inCluster, err := rest.InClusterConfig()
	if err != nil {
		return nil, err
	}
	inCluster.UserAgent = "podnetwork"
	configs := []*rest.Config{inCluster}
	if endpoint != "" {
		direct := rest.CopyConfig(inCluster)
		direct.Host = "https://" + endpoint
		configs = []*rest.Config{direct, inCluster}
	}
	for {
		for _, config := range configs {
			client, err := kubernetes.NewForConfig(config)
			if err != nil {
				return nil, err
			}
			if err = answers(ctx, client); err == nil {
				return client, nil
			}
			klog.InfoS("The API server does not answer", "host", config.Host, "err", err)
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(time.Second):
		}
	}
}

func answers(ctx context.Context, client kubernetes.Interface) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	_, err := client.CoreV1().Nodes().List(ctx, metav1.ListOptions{Limit: 1})
	return err
}
