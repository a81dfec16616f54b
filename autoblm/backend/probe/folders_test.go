package probe_test

import (
	"path"
	"slices"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/backend/probe/probetest"
)

// TestPluginFolders follows the documentation of go-xla's package pjrt.
func TestPluginFolders(t *testing.T) {
	linker := map[string][]byte{
		"/etc/ld.so.conf": []byte("include /etc/ld.so.conf.d/*.conf\n# /commented\n  /opt/lib  \n"),
	}
	const support = "/Users/u/Library/Application Support"
	type variables = map[string]string
	for name, c := range map[string]struct {
		system    string
		variables variables
		files     map[string][]byte
		want      []string
	}{
		"only the variable": {
			"linux", variables{
				"PJRT_PLUGIN_LIBRARY_PATH": "/a::/b", "HOME": "/home/u", "LD_LIBRARY_PATH": "/ld",
			}, linker, []string{"/a", "/b"},
		},
		"empty variable": {
			"linux", variables{"PJRT_PLUGIN_LIBRARY_PATH": "", "HOME": "/home/u"}, linker, []string{},
		},
		"relative": {
			"linux", variables{"PJRT_PLUGIN_LIBRARY_PATH": "plugins", "PWD": "/here"}, nil,
			[]string{"/here/plugins"},
		},
		"Linux": {
			"linux", variables{"HOME": "/home/u", "LD_LIBRARY_PATH": "/ld:relative:"}, linker,
			[]string{
				"/home/u/.local/lib/go-xla", "/home/u/.local/lib/go-xla/nvidia",
				"/home/u/.local/lib/gomlx/pjrt", "/usr/local/lib/go-xla",
				"/usr/local/lib/go-xla/nvidia", "/usr/local/lib/gomlx/pjrt", "/ld", "/opt/lib",
			},
		},
		"no home": {
			"linux", nil, nil,
			[]string{
				"/usr/local/lib/go-xla", "/usr/local/lib/go-xla/nvidia", "/usr/local/lib/gomlx/pjrt",
			},
		},
		"macOS": {
			"darwin", variables{
				"HOME": "/Users/u", "DYLD_LIBRARY_PATH": "/dy", "LD_LIBRARY_PATH": "/ld",
			}, linker,
			[]string{
				path.Join(support, "go-xla"), path.Join(support, "GoMLX/PJRT"),
				"/usr/local/lib/go-xla", "/usr/local/lib/gomlx/pjrt", "/dy", "/ld",
			},
		},
	} {
		m := probetest.Machine(c.variables, c.files)
		m.System = c.system
		if got := m.PluginFolders(); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}

	included := "/opt/a\ninclude /etc/ld.so.conf.d/a.conf\n" // includes itself
	linker["/etc/ld.so.conf.d/a.conf"] = []byte(included)
	linker["/etc/ld.so.conf.d/readme.md"] = []byte("/opt/not\n")
	got := probetest.Machine(nil, linker).PluginFolders()
	for folder, want := range map[string]bool{"/opt/a": true, "/opt/lib": true, "/opt/not": false} {
		if slices.Contains(got, folder) != want {
			t.Errorf("folders %q; %s among them: want %v", got, folder, want)
		}
	}
}
