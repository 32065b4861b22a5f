package e2erun

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/onsi/ginkgo/v2/types"

	"sidecar-node/build/internal/replace"
	"sidecar-node/e2e/artifact"
	"sidecar-node/e2e/gantt"
	"sidecar-node/e2e/timeline"
)

// PictureFile is the page with the timelines of all specs of a run, in its output.
const PictureFile = "timelines.html"

// WritePicture draws the timelines of a run from what lies in its output folder: the
// report of Ginkgo and the journals. Where a journal cannot be read the page says why,
// and the others are drawn. It returns the name of the page.
func WritePicture(output string, gate Gate) (string, error) {
	reports, err := readReports(filepath.Join(output, reportFile))
	if err != nil {
		return "", err
	}
	page := gantt.Page{Title: "Cluster suite, gate " + string(cmp.Or(gate, GateOn)), Verdict: true}
	for _, report := range reports {
		page.Facts = append(page.Facts, report.SuiteDescription, "began "+report.StartTime.UTC().Format(time.RFC1123),
			fmt.Sprintf("took %.0f s", report.RunTime.Seconds()), "order is judged by the journal, not by the picture")
		for _, spec := range inOrder(report.SpecReports) {
			s := pictured(spec)
			if err := s.read(output); err != nil {
				s.Source = "The timeline is missing: " + err.Error()
			}
			page.Specs = append(page.Specs, s.Spec)
		}
	}
	name := filepath.Join(output, PictureFile)
	var data bytes.Buffer
	if err := gantt.Write(&data, page); err != nil {
		return "", err
	}
	return name, replace.File(name, data.Bytes())
}

// inOrder returns the specs that count, as the sources have them, not as they ran:
// the suite shuffles them.
func inOrder(specs types.SpecReports) types.SpecReports {
	found := counted(specs)
	slices.SortStableFunc(found, func(a, b types.SpecReport) int {
		place := func(x, y types.CodeLocation) int {
			return cmp.Or(strings.Compare(x.FileName, y.FileName), cmp.Compare(x.LineNumber, y.LineNumber))
		}
		for i := range min(len(a.ContainerHierarchyLocations), len(b.ContainerHierarchyLocations)) {
			if c := place(a.ContainerHierarchyLocations[i], b.ContainerHierarchyLocations[i]); c != 0 {
				return c
			}
		}
		return cmp.Or(place(a.LeafNodeLocation, b.LeafNodeLocation), strings.Compare(a.FullText(), b.FullText()))
	})
	return found
}

// picturedSpec is a spec on its way to the page.
type picturedSpec struct {
	gantt.Spec
	fullText string
}

func pictured(r types.SpecReport) picturedSpec {
	s := picturedSpec{fullText: r.FullText(), Spec: gantt.Spec{
		Name: r.LeafNodeText, Failed: r.Failed(), Took: r.RunTime, Labels: r.Labels(),
	}}
	if path := r.ContainerHierarchyTexts; len(path) > 0 {
		s.Group, s.Within = path[0], path[1:]
	}
	if r.LeafNodeType != types.NodeTypeIt {
		s.Name, s.Group = r.LeafNodeType.String(), "the suite itself"
	}
	if s.Failed {
		s.Failure = fmt.Sprintf("%s\n\n%s", r.Failure.Message, r.Failure.Location)
	}
	return s
}

// read adds what the spec has left in its folder.
func (s *picturedSpec) read(output string) error {
	folder := artifact.Folder(s.fullText)
	if folder == "" {
		return nil
	}
	dir := filepath.Join(output, folder)
	files, err := os.ReadDir(dir)
	if os.IsNotExist(err) {
		return nil
	}
	if err != nil {
		return err
	}
	s.Folder = folder
	for _, f := range files {
		s.Files = append(s.Files, f.Name())
	}
	records, err := artifact.ReadJournal(dir)
	if err != nil {
		return err
	}
	roles, err := artifact.ReadRoles(dir)
	if err != nil {
		return err
	}
	for _, p := range timeline.Pods(records) {
		s.Pods = append(s.Pods, gantt.Pod{Name: p.Name, Records: p.Records, Containers: roles.Of(p.Name)})
	}
	return nil
}
