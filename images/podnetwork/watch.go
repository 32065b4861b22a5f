package main

import (
	"context"
	"errors"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
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
func watch(ctx context.Context, client kubernetes.Interface, reconcile func(context.Context, []*v1.Node) error) error {
	changed := make(chan struct{}, 1)
	notify := func() {
		select {
		case changed <- struct{}{}:
		default:
		}
	}
	factory := informers.NewSharedInformerFactory(client, 0)
	nodes := factory.Core().V1().Nodes()
	_, err := nodes.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
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
	factory.Start(ctx.Done())
	if !cache.WaitForCacheSync(ctx.Done(), nodes.Informer().HasSynced) {
		return errors.Join(errors.New("the list of nodes did not arrive"), ctx.Err())
	}
	for {
		wait := resync
		all, err := nodes.Lister().List(labels.Everything())
		if err == nil {
			err = reconcile(ctx, all)
		}
		if err != nil {
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
