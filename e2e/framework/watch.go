package framework

import (
	"context"
	"fmt"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	watchtools "k8s.io/client-go/tools/watch"
)

// Seen is a change of an object, and when it arrived here.
type Seen struct {
	Type   watch.EventType
	Object *unstructured.Unstructured
	// At is the time of this machine.
	At time.Time
}

// Watch remembers every change of the objects of one kind in a space. Polls are too
// coarse for what is measured in milliseconds.
type Watch struct {
	kind string
	stop func()

	mu   sync.Mutex
	seen []Seen
	err  error
	// more is closed and replaced when there is something new.
	more chan struct{}
}

// Watch begins to watch the objects of a kind. What was there before is not told. The
// caller has to stop it.
func (s *Space) Watch(ctx context.Context, gvr schema.GroupVersionResource) (*Watch, error) {
	rc := rest.CopyConfig(s.rest)
	// A watch lasts as long as there is something to see.
	rc.Timeout = 0
	client, err := dynamic.NewForConfig(rc)
	if err != nil {
		return nil, err
	}
	objects := client.Resource(gvr).Namespace(s.Namespace)
	list, err := objects.List(ctx, metav1.ListOptions{Limit: 1})
	if err != nil {
		return nil, fmt.Errorf("watch %s in %s: %w", gvr.Resource, s.Namespace, err)
	}
	// It connects again, and misses nothing, when the API server ends the request.
	source, err := watchtools.NewRetryWatcherWithContext(ctx, list.GetResourceVersion(), &cache.ListWatch{
		WatchFuncWithContext: objects.Watch,
	})
	if err != nil {
		return nil, fmt.Errorf("watch %s in %s: %w", gvr.Resource, s.Namespace, err)
	}
	return follow(gvr.Resource, source), nil
}

func follow(kind string, source watch.Interface) *Watch {
	w := &Watch{kind: kind, stop: source.Stop, more: make(chan struct{})}
	go func() {
		for e := range source.ResultChan() {
			at := time.Now()
			w.add(e, at)
		}
		w.end(fmt.Errorf("the watch of %s has ended", kind))
	}()
	return w
}

func (w *Watch) add(e watch.Event, at time.Time) {
	o, ok := e.Object.(*unstructured.Unstructured)
	if e.Type == watch.Error || !ok {
		w.end(fmt.Errorf("watch of %s: %s: %v", w.kind, e.Type, e.Object))
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.seen = append(w.seen, Seen{e.Type, o, at})
	close(w.more)
	w.more = make(chan struct{})
}

// end keeps the first reason.
func (w *Watch) end(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err == nil {
		w.err = err
		close(w.more)
		w.more = make(chan struct{})
	}
}

// Stop ends the watch.
func (w *Watch) Stop() { w.stop() }

// Await returns the first change for which match is true, also one that came before the
// call. The error of a wait in vain holds the object that changed last.
func (w *Watch) Await(ctx context.Context, limit time.Duration, what string, match func(Seen) bool) (Seen, error) {
	end := time.After(limit)
	for looked := 0; ; {
		w.mu.Lock()
		seen, err, more := w.seen, w.err, w.more
		w.mu.Unlock()
		for ; looked < len(seen); looked++ {
			if match(seen[looked]) {
				return seen[looked], nil
			}
		}
		if err != nil {
			return Seen{}, fmt.Errorf("while waiting for %s: %w", what, err)
		}
		select {
		case <-more:
		case <-ctx.Done():
			return Seen{}, fmt.Errorf("while waiting for %s: %w", what, ctx.Err())
		case <-end:
			return Seen{}, timedOut(limit, what, nil, lastSeen(seen))
		}
	}
}

// AwaitNone waits until every object that was seen is gone.
func (w *Watch) AwaitNone(ctx context.Context, limit time.Duration) error {
	left := map[string]bool{}
	none := func() bool { return len(left) == 0 }
	w.mu.Lock()
	for _, s := range w.seen {
		left[s.Object.GetName()] = true
	}
	w.mu.Unlock()
	if none() {
		return nil
	}
	_, err := w.Await(ctx, limit, fmt.Sprintf("the end of all %s", w.kind), func(s Seen) bool {
		if s.Type == watch.Deleted {
			delete(left, s.Object.GetName())
		}
		return none()
	})
	return err
}

// IsDeleted matches the end of the object of that name.
func IsDeleted(name string) func(Seen) bool {
	return func(s Seen) bool { return s.Type == watch.Deleted && s.Object.GetName() == name }
}

// HasTrueCondition matches a living object of that name one of whose conditions is True.
func HasTrueCondition(name, condition string) func(Seen) bool {
	return func(s Seen) bool {
		if s.Type == watch.Deleted || s.Object.GetName() != name {
			return false
		}
		conditions, _, _ := unstructured.NestedSlice(s.Object.Object, "status", "conditions")
		for _, c := range conditions {
			if c, ok := c.(map[string]any); ok && c["type"] == condition && c["status"] == string(metav1.ConditionTrue) {
				return true
			}
		}
		return false
	}
}

// InPhase matches a pod of that name in the phase.
func InPhase(name, phase string) func(Seen) bool {
	return func(s Seen) bool {
		now, _, _ := unstructured.NestedString(s.Object.Object, "status", "phase")
		return s.Object.GetName() == name && now == phase
	}
}

// lastSeen prints the object that changed last.
type lastSeen []Seen

func (l lastSeen) String() string {
	if len(l) == 0 {
		return "(nothing was seen)"
	}
	last := l[len(l)-1]
	return fmt.Sprintf("last: %s %s, %s", last.Type, last.Object.GetName(), indented(last.Object.Object["status"]))
}
