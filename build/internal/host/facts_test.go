package host

import (
	"strings"
	"testing"
	"testing/fstest"
)

// tree is a machine like the poor CI hosts: root without CAP_SYS_RESOURCE,
// hybrid control groups, low limits.
func tree() fstest.MapFS {
	return fstest.MapFS{
		"etc/os-release":   {Data: []byte("PRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\nID=debian\nVERSION_CODENAME=bookworm\n")},
		"proc/self/status": {Data: []byte("Name:\tx\nCapPrm:\t0000000000000000\nCapEff:\t000001fffeffffff\n")},
		"proc/self/mounts": {Data: []byte("tmpfs /sys/fs/cgroup tmpfs rw 0 0\ncgroup /sys/fs/cgroup/cpu cgroup rw,cpu 0 0\ncgroup2 /sys/fs/cgroup/unified cgroup2 rw 0 0\n")},
		"proc/self/limits": {Data: []byte("Limit                     Soft Limit           Hard Limit           Units     \n" +
			"Max processes             96365                unlimited            processes \n" +
			"Max open files            1024                 20000                files     \n")},
		"proc/sys/kernel/pid_max":                {Data: []byte("32768\n")},
		"proc/meminfo":                           {Data: []byte("MemTotal:       2048 kB\nMemFree:        1 kB\nMemAvailable:   1024 kB\n")},
		"proc/sys/fs/inotify/max_user_instances": {Data: []byte("128\n")},
		"proc/sys/fs/inotify/max_user_watches":   {Data: []byte("65536\n")},
	}
}

func TestReadFrom(t *testing.T) {
	got, err := readFrom(tree())
	if err != nil {
		t.Fatal(err)
	}
	if !got.OS.DebianLike() || got.OS.Codename != "bookworm" || got.OS.Name != "Debian GNU/Linux 12 (bookworm)" {
		t.Errorf("os release: %+v", got.OS)
	}
	if got.Capabilities.Has(SysResource) || !got.Capabilities.Has(SysAdmin) {
		t.Errorf("capabilities: %x, want SYS_ADMIN without SYS_RESOURCE", got.Capabilities)
	}
	if got.Cgroup != CgroupHybrid {
		t.Errorf("cgroup: %q, want %q", got.Cgroup, CgroupHybrid)
	}
	if want := (Limits{OpenFiles: 20000, Processes: Unlimited, PIDs: 32768}); got.Limits != want {
		t.Errorf("limits: %+v, want %+v", got.Limits, want)
	}
	if want := (Memory{Total: 2 << 20, Available: 1 << 20}); got.Memory != want {
		t.Errorf("memory: %+v, want %+v", got.Memory, want)
	}
	if want := (Inotify{Instances: 128, Watches: 65536}); got.Inotify != want {
		t.Errorf("inotify: %+v, want %+v", got.Inotify, want)
	}
	if got.Modules {
		t.Error("modules: true, but the tree has no lib/modules")
	}
}

func TestCgroupModes(t *testing.T) {
	for mounts, want := range map[string]CgroupMode{
		"cgroup2 /sys/fs/cgroup cgroup2 rw 0 0\n":    CgroupV2,
		"cgroup /sys/fs/cgroup/pids cgroup rw 0 0\n": CgroupV1,
	} {
		root := tree()
		root["proc/self/mounts"] = &fstest.MapFile{Data: []byte(mounts)}
		got, err := readFrom(root)
		if err != nil || got.Cgroup != want {
			t.Errorf("%s: got %q, %v; want %q", strings.TrimSpace(mounts), got.Cgroup, err, want)
		}
	}
}

func TestUnreadableFactsAreNamed(t *testing.T) {
	for file, data := range map[string]string{
		"proc/self/status":                     "CapEff:\tnothex\n",
		"proc/self/limits":                     "Max processes 1\n",
		"proc/self/mounts":                     "proc /proc proc rw 0 0\n",
		"proc/meminfo":                         "MemTotal: many kB\n",
		"proc/sys/fs/inotify/max_user_watches": "-1",
		"proc/sys/kernel/pid_max":              "few",
	} {
		root := tree()
		root[file] = &fstest.MapFile{Data: []byte(data)}
		if _, err := readFrom(root); err == nil {
			t.Errorf("%s with %q: no error", file, data)
		}
	}
}

func TestOSReleaseOfDerivedDistribution(t *testing.T) {
	root := tree()
	delete(root, "etc/os-release")
	root["usr/lib/os-release"] = &fstest.MapFile{Data: []byte("ID=linuxmint\nID_LIKE='ubuntu debian'\n")}
	got, err := readFrom(root)
	if err != nil || !got.OS.DebianLike() {
		t.Errorf("got %+v, %v; want a distribution like Debian", got.OS, err)
	}
	root["usr/lib/os-release"] = &fstest.MapFile{Data: []byte("ID=fedora\n")}
	if got, _ = readFrom(root); got.OS.DebianLike() {
		t.Error("fedora counts as a distribution like Debian")
	}
}

func TestFreeDisk(t *testing.T) {
	if n, err := FreeDisk(t.TempDir()); err != nil || n == 0 {
		t.Errorf("got %d, %v", n, err)
	}
	if _, err := FreeDisk("/no/such/folder"); err == nil || !strings.Contains(err.Error(), "/no/such/folder") {
		t.Errorf("got %v, want an error that names the folder", err)
	}
}
