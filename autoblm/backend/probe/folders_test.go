package probe_test

import (
	"slices"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/backend/probe/probetest"
)

// TestPluginFolders: the folders are those in the documentation of go-xla's package pjrt.
func TestPluginFolders(t *testing.T) {
	files := map[string][]byte{
		"/etc/ld.so.conf":             []byte("include /etc/ld.so.conf.d/*.conf\n# /commented\n  /opt/lib  \n"),
		"/etc/ld.so.conf.d/a.conf":    []byte("/opt/a\ninclude /etc/ld.so.conf.d/a.conf\n"), // itself again
		"/etc/ld.so.conf.d/readme.md": []byte("/opt/not\n"),
	}
	for name, c := range map[string]struct {
		system    string
		variables map[string]string
		files     map[string][]byte
		want      []string
	}{
		"the variable alone counts": {"linux", map[string]string{"PJRT_PLUGIN_LIBRARY_PATH": "/a::/b", "HOME": "/home/u", "LD_LIBRARY_PATH": "/ld"}, files, []string{"/a", "/b"}},
		"set to nothing":            {"linux", map[string]string{"PJRT_PLUGIN_LIBRARY_PATH": "", "HOME": "/home/u"}, files, []string{}},
		"relative to where we are":  {"linux", map[string]string{"PJRT_PLUGIN_LIBRARY_PATH": "plugins", "PWD": "/here"}, nil, []string{"/here/plugins"}},
		"Linux": {"linux", map[string]string{"HOME": "/home/u", "LD_LIBRARY_PATH": "/ld:relative:"}, map[string][]byte{"/etc/ld.so.conf": files["/etc/ld.so.conf"]}, []string{
			"/home/u/.local/lib/go-xla", "/home/u/.local/lib/go-xla/nvidia", "/home/u/.local/lib/gomlx/pjrt",
			"/usr/local/lib/go-xla", "/usr/local/lib/go-xla/nvidia", "/usr/local/lib/gomlx/pjrt", "/ld", "/opt/lib",
		}},
		"no home": {"linux", nil, nil, []string{"/usr/local/lib/go-xla", "/usr/local/lib/go-xla/nvidia", "/usr/local/lib/gomlx/pjrt"}},
		"macOS": {"darwin", map[string]string{"HOME": "/Users/u", "DYLD_LIBRARY_PATH": "/dy", "LD_LIBRARY_PATH": "/ld"}, files, []string{
			"/Users/u/Library/Application Support/go-xla", "/Users/u/Library/Application Support/GoMLX/PJRT",
			"/usr/local/lib/go-xla", "/usr/local/lib/gomlx/pjrt", "/dy", "/ld",
		}},
	} {
		m := probetest.Machine(c.variables, c.files)
		m.System = c.system
		if got := m.PluginFolders(); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}

	m := probetest.Machine(nil, files)
	if got := m.PluginFolders(); !slices.Contains(got, "/opt/a") || !slices.Contains(got, "/opt/lib") || slices.Contains(got, "/opt/not") {
		t.Errorf("of the linker's configuration: %q", got)
	}
}
