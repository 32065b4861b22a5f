package framework

import (
	"context"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/watch"
)

func watched(name, phase, ready string) *unstructured.Unstructured {
	o := &unstructured.Unstructured{Object: map[string]any{"status": map[string]any{
		"phase":      phase,
		"conditions": []any{map[string]any{"type": "Ready", "status": ready}},
	}}}
	o.SetName(name)
	return o
}

func TestWatchFindsWhatHasPassedAndWhatComes(t *testing.T) {
	source := watch.NewFake()
	w := follow("pods", source)
	source.Add(watched("other", "Running", "True"))
	source.Add(watched("pod", "Pending", "False"))
	source.Modify(watched("pod", "Running", "True"))
	ctx := context.Background()
	for what, match := range map[string]func(Seen) bool{"ready": HasTrueCondition("pod", "Ready"), "running": InPhase("pod", "Running")} {
		seen, err := w.Await(ctx, time.Minute, what, match)
		if err != nil || seen.Object.GetName() != "pod" || seen.Type != watch.Modified || seen.At.IsZero() {
			t.Errorf("%s: got %v, %v", what, seen, err)
		}
	}
	go func() {
		time.Sleep(10 * time.Millisecond)
		source.Delete(watched("pod", "Running", "True"))
		source.Delete(watched("other", "Running", "True"))
	}()
	if _, err := w.Await(ctx, time.Minute, "the end", IsDeleted("pod")); err != nil {
		t.Error(err)
	}
	if err := w.AwaitNone(ctx, time.Minute); err != nil {
		t.Error(err)
	}
}

func TestAWatchInVainSaysWhatItSaw(t *testing.T) {
	source := watch.NewFake()
	w := follow("pods", source)
	source.Add(watched("pod", "Pending", "False"))
	never := func(Seen) bool { return false }
	_, err := w.Await(context.Background(), 20*time.Millisecond, "readiness", never)
	if err == nil || !strings.Contains(err.Error(), "for readiness") || !strings.Contains(err.Error(), "ADDED pod") {
		t.Errorf("got %v", err)
	}
	if err := w.AwaitNone(context.Background(), 20*time.Millisecond); err == nil {
		t.Error("a pod that is there counts as gone")
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := w.Await(ctx, time.Minute, "it", never); err == nil || !strings.Contains(err.Error(), context.Canceled.Error()) {
		t.Errorf("cancelled: got %v", err)
	}
}

func TestABrokenWatchIsAnError(t *testing.T) {
	for name, spoil := range map[string]func(*watch.FakeWatcher){
		"410":       func(source *watch.FakeWatcher) { source.Error(&metav1.Status{Message: "410 too old"}) },
		"has ended": func(source *watch.FakeWatcher) { source.Stop() },
	} {
		source := watch.NewFake()
		w := follow("pods", source)
		spoil(source)
		if _, err := w.Await(context.Background(), time.Minute, "it", func(Seen) bool { return false }); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}
