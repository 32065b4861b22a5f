package main

import (
	"context"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"
)

// connect returns a client for the first address of the API server that
// answers: endpoint when it is not empty, and the Service of the cluster. It
// tries until ctx ends.
//
// The client knows the core API only. One that knows all of them makes the
// program twice as big.
func connect(ctx context.Context, endpoint string) (rest.Interface, error) {
	config, err := rest.InClusterConfig()
	if err != nil {
		return nil, err
	}
	scheme := runtime.NewScheme()
	if err := v1.AddToScheme(scheme); err != nil {
		return nil, err
	}
	metav1.AddToGroupVersion(scheme, v1.SchemeGroupVersion)
	config.UserAgent = "podnetwork"
	config.APIPath = "/api"
	config.GroupVersion = &v1.SchemeGroupVersion
	config.NegotiatedSerializer = serializer.NewCodecFactory(scheme).WithoutConversion()
	hosts := []string{config.Host}
	if endpoint != "" {
		hosts = []string{"https://" + endpoint, config.Host}
	}
	for {
		for _, host := range hosts {
			c := rest.CopyConfig(config)
			c.Host = host
			client, err := rest.RESTClientFor(c)
			if err != nil {
				return nil, err
			}
			if err = answers(ctx, client); err == nil {
				return client, nil
			}
			klog.InfoS("The API server does not answer", "host", host, "err", err)
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(time.Second):
		}
	}
}

func answers(ctx context.Context, client rest.Interface) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	return client.Get().Resource("nodes").Param("limit", "1").Do(ctx).Error()
}
