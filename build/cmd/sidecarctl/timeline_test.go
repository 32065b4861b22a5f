package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sidecar-node/build/internal/layout"
)

func TestSomeKubeconfig(t *testing.T) {
	env := &environment{Layout: layout.Layout{Root: t.TempDir()}}
	ours := env.Output("kubeconfig", defaultCluster)
	t.Setenv("KUBECONFIG", "")
	if _, err := env.someKubeconfig(""); err == nil || !strings.Contains(err.Error(), ours) || !strings.Contains(err.Error(), "make cluster") {
		t.Errorf("no cluster: got %v, want what is missing and what to do", err)
	}
	if _, err := env.someKubeconfig("/none"); err == nil || !strings.Contains(err.Error(), "/none") {
		t.Errorf("a file that is not there: got %v", err)
	}
	if err := os.MkdirAll(filepath.Dir(ours), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(ours, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := env.someKubeconfig(""); got != ours || err != nil {
		t.Errorf("the cluster of make cluster: got %q, %v", got, err)
	}
	t.Setenv("KUBECONFIG", "/a:/b")
	if got, err := env.someKubeconfig(""); got != "" || err != nil {
		t.Errorf("KUBECONFIG: got %q, %v; want the usual places", got, err)
	}
}

func TestTimelineRefusesWhatIsNoPod(t *testing.T) {
	env := &environment{Layout: layout.Layout{Root: t.TempDir()}}
	for _, args := range [][]string{{}, {"web-0"}, {"a/b", "c/d"}} {
		cmd := timelineCommand(env)
		cmd.SetArgs(args)
		cmd.SilenceErrors, cmd.SilenceUsage = true, true
		if err := cmd.Execute(); err == nil || !strings.Contains(err.Error(), "default/web-0") {
			t.Errorf("%q: got %v, want how a pod is named", args, err)
		}
	}
}
