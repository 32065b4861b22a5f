package lifecycle

import (
	"context"
	"fmt"

	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/retry"

	"sidecar-node/e2e/framework"
)

// Template is a kind of object with a pod template in it.
type Template struct {
	Resource schema.GroupVersionResource
	// Manifest is an object of the kind, named "it", in which %s stands for the
	// containers, in YAML's flow style.
	Manifest string
	// Path is where the pod spec is.
	Path []string
	// Fixed says that the template cannot be changed.
	Fixed bool
}

// with returns the manifest with these containers.
func (t Template) with(containers string) string { return fmt.Sprintf(t.Manifest, containers) }

// text is the path as errors and warnings write it.
func (t Template) text() string {
	text := ""
	for _, p := range t.Path {
		text += p + "."
	}
	return text
}

// type2 returns the type of the second container of the object.
func (t Template) type2(o *unstructured.Unstructured) string {
	containers, _, err := unstructured.NestedSlice(o.Object, append(append([]string{}, t.Path...), "containers")...)
	ExpectWithOffset(1, err).To(Succeed())
	ExpectWithOffset(1, containers).To(HaveLen(2))
	text, _, err := unstructured.NestedString(containers[1].(map[string]any), "lifecycle", "type")
	ExpectWithOffset(1, err).To(Succeed())
	return text
}

const (
	sidecarContainers  = `[{name: app, image: i}, {name: proxy, image: i, lifecycle: {type: Sidecar}}]`
	standardContainers = `[{name: app, image: i}, {name: proxy, image: i, lifecycle: {type: Standard}}]`
)

// TemplateRules wants the API server to accept and to refuse what it should in a
// template of the kind, and to say why.
func TemplateRules(ctx context.Context, s *framework.Space, t Template) {
	for _, containers := range []string{sidecarContainers, standardContainers} {
		_, err := s.DryRun(ctx, t.with(containers))
		Expect(err).To(Succeed())
	}
	for containers, texts := range map[string][]string{
		`[{name: app, image: i}, {name: proxy, image: i, lifecycle: {type: Other}}]`:                         {"containers[1].lifecycle.type", `Unsupported value: "Other"`, "Sidecar", "Standard"},
		`[{name: proxy, image: i, lifecycle: {type: Sidecar}}]`:                                              {"containers", "at least one"},
		`[{name: app, image: i}, {name: proxy, image: i, restartPolicy: Never, lifecycle: {type: Sidecar}}]`: {"containers[1].restartPolicy"},
		`[{name: app, image: i}], initContainers: [{name: init, image: i, lifecycle: {type: Sidecar}}]`:      {"initContainers[0].lifecycle.type", "set its restartPolicy to Always"},
		`[{name: app, image: i}], initContainers: [{name: init, image: i, lifecycle: {type: Standard}}]`:     {"initContainers[0].lifecycle.type"},
	} {
		path := t.text()
		for i := range texts {
			if i == 0 {
				texts[i] = path + texts[i]
			}
		}
		IsRefused(ctx, s, t.with(containers), texts...)
	}
}

// TemplatePatches changes the type in a template in every way that the API knows, and
// wants it kept by changes of other fields.
func TemplatePatches(ctx context.Context, s *framework.Space, t Template) {
	Expect(s.ApplyAsIs(ctx, t.with(sidecarContainers))).To(Succeed())
	get := func() *unstructured.Unstructured {
		o, err := s.Get(ctx, t.Resource, "it")
		ExpectWithOffset(1, err).To(Succeed())
		return o
	}
	Expect(t.type2(get())).To(Equal("Sidecar"))

	_, err := s.Patch(ctx, t.Resource, "it", types.MergePatchType, []byte(`{"metadata":{"labels":{"touched":"yes"}}}`))
	Expect(err).To(Succeed())
	Expect(t.type2(get())).To(Equal("Sidecar"), "a change of something else keeps the type")
	Expect(s.Warnings()).To(BeEmpty())

	pointer := ""
	for _, p := range t.Path {
		pointer += "/" + p
	}
	patch := fmt.Sprintf(`[{"op":"replace","path":"%s/containers/1/lifecycle/type","value":"Standard"}]`, pointer)
	changed, err := s.Patch(ctx, t.Resource, "it", types.JSONPatchType, []byte(patch))
	if t.Fixed {
		Expect(err).To(HaveOccurred())
		Expect(err.Error()).To(ContainSubstring("immutable"))
		return
	}
	Expect(err).To(Succeed())
	Expect(t.type2(changed)).To(Equal("Standard"))

	changed, err = s.Patch(ctx, t.Resource, "it", types.StrategicMergePatchType, []byte(t.nest(`{"containers":[{"name":"proxy","lifecycle":{"type":"Sidecar"}}]}`)))
	Expect(err).To(Succeed())
	Expect(t.type2(changed)).To(Equal("Sidecar"))

	changed, err = s.Patch(ctx, t.Resource, "it", types.MergePatchType,
		[]byte(t.nest(`{"containers":[{"name":"app","image":"i"},{"name":"proxy","image":"i","lifecycle":{"type":"Standard"}}]}`)))
	Expect(err).To(Succeed())
	Expect(t.type2(changed)).To(Equal("Standard"))

	// Server-side apply takes over the field, and gives it up again.
	Expect(s.ServerSideApply(ctx, t.with(sidecarContainers))).To(Succeed())
	Expect(t.type2(get())).To(Equal("Sidecar"))
	Expect(s.Warnings()).To(BeEmpty())
	Expect(s.ServerSideApply(ctx, t.with(`[{name: app, image: i}, {name: proxy, image: i}]`))).To(Succeed())
	Expect(t.type2(get())).To(BeEmpty())
	Expect(s.Warnings()).To(ContainElement(ContainSubstring(t.text() + "containers[1].lifecycle.type: removed by this update")))
}

// nest puts the JSON of a pod spec where the kind has it.
func (t Template) nest(spec string) string {
	for i := len(t.Path) - 1; i >= 0; i-- {
		spec = fmt.Sprintf(`{%q:%s}`, t.Path[i], spec)
	}
	return spec
}

// StockClient has a client that does not know the field read a Deployment, patch it
// and replace it: the first two lose nothing, and the last one is warned of.
func StockClient(ctx context.Context, s *framework.Space, t Template, protobuf bool) {
	client, err := s.Stock(protobuf)
	Expect(err).To(Succeed())
	Expect(s.ApplyAsIs(ctx, t.with(sidecarContainers))).To(Succeed())
	deployments := client.AppsV1().Deployments(s.Namespace)
	it, err := deployments.Get(ctx, "it", metav1.GetOptions{})
	Expect(err).To(Succeed())
	Expect(it.Spec.Template.Spec.Containers).To(HaveLen(2))
	Expect(it.Spec.Template.Spec.Containers[1].Name).To(Equal("proxy"))

	_, err = deployments.Patch(ctx, "it", types.StrategicMergePatchType, []byte(`{"spec":{"template":{"spec":{"containers":[{"name":"proxy","image":"j"}]}}}}`), metav1.PatchOptions{})
	Expect(err).To(Succeed())
	o, err := s.Get(ctx, t.Resource, "it")
	Expect(err).To(Succeed())
	Expect(t.type2(o)).To(Equal("Sidecar"))
	Expect(s.Warnings()).To(BeEmpty())

	// Its controller writes the status of a Deployment at the same time.
	Expect(retry.RetryOnConflict(retry.DefaultRetry, func() error {
		it, err := deployments.Get(ctx, "it", metav1.GetOptions{})
		if err != nil {
			return err
		}
		it.Spec.Template.Spec.Containers[0].Image = "k"
		_, err = deployments.Update(ctx, it, metav1.UpdateOptions{})
		return err
	})).To(Succeed())
	Expect(s.Warnings()).To(ContainElement(ContainSubstring(t.text() + "containers[1].lifecycle.type: removed by this update")))
}
