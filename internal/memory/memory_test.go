package memory

import (
	"strings"
	"testing"
	"testing/fstest"
)

func TestFree(t *testing.T) {
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	meminfo := file("MemTotal: 9000 kB\nMemAvailable:  1000 kB\n")
	for name, c := range map[string]struct {
		files fstest.MapFS
		want  int64
	}{
		"nothing": {fstest.MapFS{}, 0},
		"machine": {fstest.MapFS{"proc/meminfo": meminfo}, 1000 << 10},
		"no limit": {fstest.MapFS{
			"proc/meminfo": meminfo, "sys/fs/cgroup/memory.max": file("max\n"),
		}, 1000 << 10},
		"a limit": {fstest.MapFS{"proc/meminfo": meminfo, "sys/fs/cgroup/memory.max": file("500000\n"), "sys/fs/cgroup/memory.current": file("300000\n"),
			"sys/fs/cgroup/memory.stat": file("anon 5\ninactive_file 900\nactive_file 100\n")}, 201000},
		"a high limit": {fstest.MapFS{
			"proc/meminfo": meminfo, "sys/fs/cgroup/memory.max": file("500000000\n"),
		}, 1000 << 10},
		"a full group": {fstest.MapFS{
			"proc/meminfo": meminfo, "sys/fs/cgroup/memory.max": file("5\n"),
			"sys/fs/cgroup/memory.current": file("9\n"),
		}, 1},
	} {
		if got := Free(c.files); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
}

func TestCheck(t *testing.T) {
	for _, c := range []struct {
		free  int64
		bytes float64
		want  string
	}{
		{0, 1e30, ""}, {1 << 30, 1 << 30, ""},
		{1 << 30, 3 << 30, "it would take at least 3.0 GiB of memory, and 1.0 GiB are free: take less"},
		{1 << 30, 1e300, "it would take at least 2 EiB of memory"},
	} {
		err := check(c.free, c.bytes, "it", "take less")
		if c.want == "" && err != nil || c.want != "" &&
			(err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%d of %v: %v", c.free, c.bytes, err)
		}
	}
	if err := Check(1, "it", ""); err != nil {
		t.Errorf("a byte: %v", err)
	}
}
