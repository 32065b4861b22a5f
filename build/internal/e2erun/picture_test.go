package e2erun

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/onsi/ginkgo/v2/types"

	"sidecar-node/e2e/artifact"
	"sidecar-node/e2e/role"
)

// output makes the output folder of a run with three specs, of which one has a
// journal, and a step of the suite that failed in two processes.
func output(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	in := func(line int) []types.CodeLocation {
		return []types.CodeLocation{{FileName: "a_test.go", LineNumber: line}}
	}
	it := func(group, name string, line int, state types.SpecState) types.SpecReport {
		return types.SpecReport{
			ContainerHierarchyTexts: []string{group}, ContainerHierarchyLocations: in(line), ContainerHierarchyLabels: [][]string{{"start"}},
			LeafNodeType: types.NodeTypeIt, LeafNodeText: name, State: state,
		}
	}
	failed := it("start order", "waits", 3, types.SpecStateFailed)
	failed.Failure.Message = "the app came first"
	step := types.SpecReport{LeafNodeType: types.NodeTypeSynchronizedBeforeSuite, State: types.SpecStateFailed}
	data, err := json.Marshal([]types.Report{{SuiteDescription: "the suite", SpecReports: types.SpecReports{
		it("stop order", "stops", 9, types.SpecStatePassed), failed, it("start order", "left out", 3, types.SpecStateSkipped), step, step,
	}}})
	if err != nil {
		t.Fatal(err)
	}
	spec := filepath.Join(dir, artifact.Folder("start order waits"))
	if err := os.Mkdir(spec, 0o755); err != nil {
		t.Fatal(err)
	}
	recorded, err := os.ReadFile("../../../e2e/journal/testdata/ordered.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{filepath.Join(dir, reportFile): data, filepath.Join(spec, artifact.Journal): recorded} {
		if err := os.WriteFile(name, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := artifact.WriteRoles(spec, role.List{{Kind: "Pod", Name: "demo", Containers: []role.Container{{Name: "proxy", Role: role.Sidecar}, {Name: "app", Role: role.App}}}}); err != nil {
		t.Fatal(err)
	}
	return dir
}

func picture(t *testing.T, dir string) string {
	t.Helper()
	name, err := WritePicture(dir, GateOff)
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestPicture(t *testing.T) {
	page := picture(t, output(t))
	for part, n := range map[string]int{
		"<article":                              3,
		`article id="spec-1" class="`:           1,
		"Cluster suite, gate off":               2,
		"1 passed":                              1,
		"✗ 2 failed":                            2, // the title of the window, and the verdict
		"the app came first":                    1,
		`class="bar gate-closed"`:               2, // one in the legend
		`data-lane="proxy"`:                     1,
		"start-order-waits/" + artifact.Journal: 1,
		"left out":                              0,
	} {
		if got := strings.Count(page, part); got != n {
			t.Errorf("%q occurs %d times, want %d", part, got, n)
		}
	}
}

func TestATornJournalSpoilsItsOwnSpecOnly(t *testing.T) {
	dir := output(t)
	torn := filepath.Join(dir, "start-order-waits", artifact.Journal)
	if err := os.WriteFile(torn, []byte(`{"seq":1,"cont`), 0o644); err != nil {
		t.Fatal(err)
	}
	if page := picture(t, dir); strings.Count(page, "<article") != 3 || !strings.Contains(page, "The timeline is missing") || !strings.Contains(page, artifact.Journal) {
		t.Error("want all specs, and what is wrong with the journal")
	}
}

func TestAPictureNeedsAReport(t *testing.T) {
	if _, err := WritePicture(t.TempDir(), GateOn); err == nil || !strings.Contains(err.Error(), reportFile) {
		t.Errorf("got %v, want an error that names the report", err)
	}
}
