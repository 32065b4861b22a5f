package main

import (
	"context"
	"errors"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"
)

const (
	// resync repairs what somebody else removed from the kernel.
	resync = 30 * time.Second
	// retry is the pause after a failure.
	retry = time.Second
)

// watch calls reconcile with all nodes when one of them changes, and every
// resync. It returns when ctx ends.
func watch(ctx context.Context, client rest.Interface, reconcile func(context.Context, []*v1.Node) error) error {
	changed := make(chan struct{}, 1)
	notify := func() {
		select {
		case changed <- struct{}{}:
		default:
		}
	}
	source := cache.NewListWatchFromClient(client, "nodes", "", fields.Everything())
	informer := cache.NewSharedInformer(source, &v1.Node{}, 0)
	_, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(any) { notify() },
		DeleteFunc: func(any) { notify() },
		UpdateFunc: func(before, after any) {
			// Heartbeats update the status every few seconds.
			if placeOf(before.(*v1.Node)) != placeOf(after.(*v1.Node)) {
				notify()
			}
		},
	})
	if err != nil {
		return err
	}
	go informer.Run(ctx.Done())
	if !cache.WaitForCacheSync(ctx.Done(), informer.HasSynced) {
		return errors.Join(errors.New("the list of nodes did not arrive"), ctx.Err())
	}
	for {
		wait := resync
		var nodes []*v1.Node
		for _, object := range informer.GetStore().List() {
			nodes = append(nodes, object.(*v1.Node))
		}
		if err := reconcile(ctx, nodes); err != nil {
			klog.ErrorS(err, "The pod network is not up to date")
			wait = retry
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-changed:
		case <-time.After(wait):
		}
	}
}
