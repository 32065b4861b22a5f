package rootfs

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestSourcesFollowTheHostsMirrors(t *testing.T) {
	targets := `Debian|Debian|bookworm|http://mirror.example/debian/
Debian|Debian|bookworm-updates|http://mirror.example/debian/
Debian|Debian-Security|bookworm-security|http://security.example/debian-security/
Debian|Debian|bookworm-backports|http://mirror.example/debian/
. nodistro|nodistro|nodistro|http://other.example/node/
Debian|Debian|bookworm|http://mirror.example/debian/
`
	want := []string{
		"deb http://mirror.example/debian/ trixie main",
		"deb http://mirror.example/debian/ trixie-updates main",
		"deb http://security.example/debian-security/ trixie-security main",
	}
	if got := fromTargets(targets, "trixie"); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := fromTargets("Ubuntu|Ubuntu|noble|http://mirror.example/ubuntu/\n", "trixie"); got != nil {
		t.Errorf("got %q for a host without Debian mirrors", got)
	}
}

func TestReadSpec(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"good":     {"suite: trixie\nvariant: extract\npackages: [nftables]\ndrop: [/usr/share/*]\n", ""},
		"unknown":  {"suite: trixie\nvariant: extract\npackages: [nftables]\nremove: []\n", `unknown field "remove"`},
		"variant":  {"suite: trixie\nvariant: minbase\npackages: [nftables]\n", `variant "minbase": want essential or extract`},
		"empty":    {"suite: trixie\nvariant: extract\n", "at least one package"},
		"relative": {"suite: trixie\nvariant: extract\npackages: [a]\ndrop: [usr]\n", `drop: "usr": want an absolute path`},
		"pattern":  {"suite: trixie\nvariant: extract\npackages: [a]\ndrop: ['/usr/[']\n", `drop: "/usr/["`},
	} {
		file := filepath.Join(t.TempDir(), "node.yaml")
		if err := os.WriteFile(file, []byte(c.text), 0o644); err != nil {
			t.Fatal(err)
		}
		s, err := ReadSpec(file)
		switch {
		case c.want == "" && (err != nil || s.Name != "node" || s.Packages[0] != "nftables"):
			t.Errorf("%s: got %+v, %v", name, s, err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), file)):
			t.Errorf("%s: got %v, want %q and the file", name, err, c.want)
		}
	}
}

func TestOurSpecsAreGood(t *testing.T) {
	files, err := filepath.Glob("../../../images/rootfs/*.yaml")
	if err != nil || len(files) != 3 {
		t.Fatalf("files %v, %v; want node.yaml, tools.yaml and workloads.yaml", files, err)
	}
	for _, f := range files {
		if _, err := ReadSpec(f); err != nil {
			t.Error(err)
		}
	}
}
