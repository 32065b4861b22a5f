package unit

import (
	"bytes"
	"context"
	"go/format"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const gates = `package features

var specs = map[Feature]Specs{
	Ponds: {
		{Version: v("1.36"), Default: false, PreRelease: featuregate.Alpha},
	},

	SidecarContainers: {
		{Version: v("1.37"), Default: false, PreRelease: featuregate.Alpha},
	},
}

var needs = map[Feature][]Feature{
	SidecarContainers: {},
}
`

func TestTurnOn(t *testing.T) {
	got, err := turnOn([]byte(gates), Gate)
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Replace(gates, `v("1.37"), Default: false, PreRelease: featuregate.Alpha`, `v("1.37"), Default: true, PreRelease: featuregate.Beta`, 1)
	if string(got) != want {
		t.Errorf("got\n%s", got)
	}
	if _, err := format.Source(got); err != nil {
		t.Error(err)
	}
	for _, bad := range []string{want, "package features\n", "no Go"} {
		if _, err := turnOn([]byte(bad), Gate); err == nil {
			t.Errorf("%q: no error", bad)
		}
	}
}

// tree writes an invented tree and returns its folder.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	base := map[string]string{
		"go.mod":  "module k8s.io/kubernetes\n\ngo 1.26\n",
		"go.work": "go 1.26\n\nuse .\n",
		GateFile:  "package features\n\ntype spec struct{ Default bool }\n\nvar SidecarContainers = \"SidecarContainers\"\n\nvar Specs = map[string][]spec{\n\tSidecarContainers: {{Default: false}},\n}\n",
	}
	for _, m := range []map[string]string{base, files} {
		for p, text := range m {
			f := filepath.Join(dir, filepath.FromSlash(p))
			if err := os.MkdirAll(filepath.Dir(f), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(f, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	return dir
}

const testHead = "package duck\n\nimport (\n\t\"os\"\n\t\"testing\"\n\n\t\"k8s.io/kubernetes/pkg/features\"\n)\n\nvar _ = os.Getenv\nvar on = features.Specs[features.SidecarContainers][0].Default\n\n"

func TestFoldersAndPackages(t *testing.T) {
	dir := tree(t, map[string]string{
		"pkg/duck/duck.go":                "package duck\n",
		"pkg/duck/duck_test.go":           "package duck\n",
		"pkg/duck/testdata/HEAD/a.yaml":   "a: b\n",
		"pkg/duck/testdata/fake/fake.go":  "package fake\n",
		"pkg/swan/swan.go":                "package swan\n",
		"staging/src/k8s.io/reed/reed.go": "package reed\n",
	})
	folders, err := Folders(dir, []string{"pkg/duck/testdata/HEAD/a.yaml", "pkg/duck/testdata/fake/fake.go", "pkg/swan/swan.go", "pkg/gone/gone.go", "docs/pond.md"})
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"pkg/duck", "pkg/swan"}; !slices.Equal(folders, want) {
		t.Errorf("folders %v, want %v", folders, want)
	}
	packages, err := Packages(context.Background(), dir, folders)
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"k8s.io/kubernetes/pkg/duck"}; !slices.Equal(packages, want) {
		t.Errorf("packages %v, want %v", packages, want)
	}
}

func TestSuiteTellsFaultsFromHosts(t *testing.T) {
	mark := filepath.Join(t.TempDir(), "mark")
	t.Setenv("POND_MARK", mark)
	files := map[string]string{
		"pkg/duck/duck.go": "package duck\n",
		"pkg/duck/duck_test.go": testHead +
			"func TestFine(t *testing.T) {}\n" +
			"func TestSkipped(t *testing.T) { t.Skip() }\n" +
			"func TestParts(t *testing.T) { t.Run(\"a\", func(t *testing.T) {}); t.Run(\"b\", func(t *testing.T) {}) }\n" +
			"func TestPoorHost(t *testing.T) { t.Error(\"no cgroups here\") }\n" +
			"func TestFlaky(t *testing.T) {\n\tif _, err := os.Stat(os.Getenv(\"POND_MARK\")); err != nil {\n\t\tos.WriteFile(os.Getenv(\"POND_MARK\"), nil, 0o644)\n\t\tt.Error(\"busy\")\n\t}\n}\n",
	}
	stock := tree(t, files)
	mine := tree(t, files)
	mineTest := files["pkg/duck/duck_test.go"] + "func TestOfTheSeries(t *testing.T) { if on { t.Error(\"broken when on\") } }\n"
	if err := os.WriteFile(filepath.Join(mine, "pkg/duck/duck_test.go"), []byte(mineTest), 0o644); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	s := &Suite{
		Tree:    mine,
		Stock:   func(context.Context) (string, error) { return stock, nil },
		Reports: t.TempDir(),
		Out:     &out,
	}
	total, err := s.Run(context.Background(), []string{"k8s.io/kubernetes/pkg/duck"}, GateStates)
	if err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	// Off: fine, parts, series, and flaky on its second run. On: fine, parts,
	// flaky.
	if *total != (Totals{Passed: 7, Failed: 1, AlsoOnStock: 2}) {
		t.Errorf("totals %+v\n%s", *total, out.String())
	}
	for _, want := range []string{
		"fails on stock Kubernetes as well: k8s.io/kubernetes/pkg/duck TestPoorHost (gate off)",
		"passed when repeated by itself: k8s.io/kubernetes/pkg/duck TestFlaky (gate off)",
		"--- FAIL k8s.io/kubernetes/pkg/duck TestOfTheSeries (gate on)",
		"broken when on",
		"to repeat: hack/sidecarctl unit --gate on k8s.io/kubernetes/pkg/duck",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("output lacks %q:\n%s", want, out.String())
		}
	}
	for _, f := range []string{"unit-gate-off.json", "unit-gate-on.json", "unit-gate-off.log"} {
		if _, err := os.Stat(filepath.Join(s.Reports, f)); err != nil {
			t.Error(err)
		}
	}
}

func TestPackageThatDoesNotBuildFails(t *testing.T) {
	good := map[string]string{"pkg/duck/duck.go": "package duck\n", "pkg/duck/duck_test.go": testHead + "func TestFine(t *testing.T) {}\n"}
	stock, mine := tree(t, good), tree(t, good)
	if err := os.WriteFile(filepath.Join(mine, "pkg/duck/duck.go"), []byte("package duck\n\nvar x int = \"\"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	s := &Suite{Tree: mine, Stock: func(context.Context) (string, error) { return stock, nil }, Reports: t.TempDir(), Out: &out}
	total, err := s.Run(context.Background(), []string{"k8s.io/kubernetes/pkg/duck"}, []string{"off"})
	if err != nil {
		t.Fatal(err)
	}
	if total.Failed != 1 || !strings.Contains(out.String(), "duck.go:3") {
		t.Errorf("totals %+v\n%s", *total, out.String())
	}
	// A package that does not exist at all is a failure too, never "0 failed".
	total, err = s.Run(context.Background(), []string{"k8s.io/kubernetes/pkg/nosuch"}, []string{"off"})
	if err == nil && total.Failed == 0 {
		t.Errorf("totals %+v\n%s", *total, out.String())
	}
}

// The test takes twice the limit at once: one that creeps up to the limit may
// also die of whatever else the Go runtime wanted just then.
func TestRunawayTestDies(t *testing.T) {
	dir := tree(t, map[string]string{
		"pkg/duck/duck.go":      "package duck\n",
		"pkg/duck/duck_test.go": "package duck\n\nimport \"testing\"\n\nfunc TestEggs(t *testing.T) {\n\teggs = make([]byte, 16<<30)\n}\n\nvar eggs []byte\n",
	})
	r, err := Run(context.Background(), dir, []string{"k8s.io/kubernetes/pkg/duck"}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if f := r.Failed(); len(f) != 1 || !strings.Contains(f[0].Output, "out of memory") {
		t.Errorf("failed %+v", f)
	}
}

func TestWide(t *testing.T) {
	got := Wide([]string{"pkg/kubelet/prober", "pkg/controller/deployment/util", "staging/src/k8s.io/kubectl/pkg/describe", "staging/src/k8s.io/kubectl/pkg/cmd/util", "pkg/apis/core"})
	want := append(slices.Clone(areas), "pkg/controller/deployment/util", "staging/src/k8s.io/kubectl/...")
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
