package artifact

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"sidecar-node/e2e/role"
)

func TestFolder(t *testing.T) {
	for spec, want := range map[string]string{
		"a Job ends with its app, whatever": "a-job-ends-with-its-app-whatever",
		"../../etc (x)":                     "etc-x",
		" preStop's 2 s ":                   "prestop-s-2-s",
	} {
		if got := Folder(spec); got != want {
			t.Errorf("%q: got %q, want %q", spec, got, want)
		}
	}
}

func TestRolesComeBack(t *testing.T) {
	dir := t.TempDir()
	if list, err := ReadRoles(dir); err != nil || list != nil {
		t.Errorf("a folder without roles: got %v, %v", list, err)
	}
	want := role.List{{Kind: "Pod", Name: "pod", Containers: []role.Container{{Name: "proxy", Role: role.Sidecar}}}}
	if err := WriteRoles(dir, want); err != nil {
		t.Fatal(err)
	}
	if got, err := ReadRoles(dir); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, %v; want %v", got, err, want)
	}
	if err := os.WriteFile(filepath.Join(dir, Roles), []byte("{"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadRoles(dir); err == nil || !strings.Contains(err.Error(), Roles) {
		t.Errorf("a torn file: got %v, want an error that names it", err)
	}
}

func TestJournal(t *testing.T) {
	dir := t.TempDir()
	if records, err := ReadJournal(dir); err != nil || records != nil {
		t.Errorf("a folder without a journal: got %v, %v", records, err)
	}
	if err := os.WriteFile(filepath.Join(dir, Journal), []byte(`{"seq":1,"container":"app","event":"start"}`+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if records, err := ReadJournal(dir); err != nil || len(records) != 1 {
		t.Errorf("got %v, %v; want one record", records, err)
	}
	if err := os.WriteFile(filepath.Join(dir, Journal), []byte(`{"seq":torn`), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadJournal(dir); err == nil || !strings.Contains(err.Error(), dir) {
		t.Errorf("a torn journal: got %v, want an error that names it", err)
	}
}
