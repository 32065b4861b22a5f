package mutant

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const good = `
mutants:
- name: shallow
  breaks: ponds are deep
  component: kubelet
  changes:
  - {file: pkg/pond/pond.go, find: "deep", replace: "shallow"}
  specs: [the pond is deep]
`

func load(t *testing.T, text string) ([]Mutant, error) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "mutants.yaml")
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return Load(name)
}

func TestFormOfTheListIsChecked(t *testing.T) {
	if list, err := load(t, good); err != nil || len(list) != 1 || list[0].Name != "shallow" {
		t.Errorf("got %v, %v", list, err)
	}
	for _, c := range []struct{ old, by, want string }{
		{good, "mutants: []\n", "want mutants, found none"},
		{"name: shallow", "name: Shallow Pond", "mutant 1 (Shallow Pond): name"},
		{"name: shallow", "name: none", `the name "none" is taken`},
		{"breaks: ponds are deep", "breaks: Ponds are deep.", "breaks: want a clause"},
		{"component: kubelet", "component: kubectl", `component "kubectl": want one of kubelet`},
		{"pkg/pond", "../pond", "want the path of a Go file"},
		{`find: "deep"`, `find: ""`, `find ""`},
		{`replace: "shallow"`, `replace: "deep"`, `find "deep"`},
		{"specs: [the pond is deep]", "specs: []", "specs: want a part"},
		{"specs:", "spec:", "spec"},
	} {
		_, err := load(t, strings.Replace(good, c.old, c.by, 1))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q for %q: got %v, want %q", c.by, c.old, err, c.want)
		}
	}
	if _, err := load(t, good+strings.Replace(good, "\nmutants:", "", 1)); err == nil || !strings.Contains(err.Error(), `mutant 2: the name "shallow" is taken`) {
		t.Errorf("a name that comes twice: got %v", err)
	}
}

func TestOurListIsWellFormed(t *testing.T) {
	list, err := Load("../../../e2e/mutants.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if len(list) < 10 {
		t.Errorf("%d mutants, want at least ten", len(list))
	}
}

func TestFilesAreChangedWhereTheTextIsOnce(t *testing.T) {
	dir := t.TempDir()
	const file = "pkg/pond.go"
	if err := os.MkdirAll(filepath.Join(dir, "pkg"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, file), []byte("a b b c"), 0o644); err != nil {
		t.Fatal(err)
	}
	m := Mutant{Name: "m", Changes: []Change{{file, "a", "x"}, {file, "x b", "y"}}}
	files, err := m.Files(dir)
	if err != nil || len(files) != 1 || string(files[file]) != "y b c" {
		t.Errorf("got %q, %v", files, err)
	}
	if data, _ := os.ReadFile(filepath.Join(dir, file)); string(data) != "a b b c" {
		t.Errorf("the tree has changed: %q", data)
	}
	for find, want := range map[string]string{"b": `has the text "b" 2 times`, "z": `has the text "z" 0 times`} {
		_, err := Mutant{Name: "m", Changes: []Change{{file, find, ""}}}.Files(dir)
		if err == nil || !strings.Contains(err.Error(), "mutant m: "+file+" "+want) || !strings.Contains(err.Error(), "e2e/mutants.yaml") {
			t.Errorf("%s: got %v", find, err)
		}
	}
	if _, err := (Mutant{Name: "m", Changes: []Change{{"pkg/lake.go", "a", ""}}}).Files(dir); err == nil || !strings.Contains(err.Error(), "lake.go") {
		t.Errorf("a file that is not there: got %v", err)
	}
}

func TestChoose(t *testing.T) {
	all := []Mutant{{Name: "a"}, {Name: "b"}, {Name: "c"}}
	names := func(list []Mutant) (n []string) {
		for _, m := range list {
			n = append(n, m.Name)
		}
		return n
	}
	for _, c := range []struct{ only, want []string }{{nil, []string{"a", "b", "c"}}, {[]string{"c", "a"}, []string{"c", "a"}}} {
		if got, err := Choose(all, c.only); err != nil || !slices.Equal(names(got), c.want) {
			t.Errorf("%v: got %v, %v", c.only, names(got), err)
		}
	}
	if _, err := Choose(all, []string{"d"}); err == nil || !strings.Contains(err.Error(), `no mutant "d"`) {
		t.Errorf("got %v", err)
	}
}
