package probe_test

import (
	"path"
	"slices"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/backend/probe/probetest"
)

// TestPluginFolders follows the documentation of go-xla's package pjrt.
func TestPluginFolders(t *testing.T) {
	const support = "/Users/u/Library/Application Support"
	type variables = map[string]string
	for name, c := range map[string]struct {
		system    string
		variables variables
		want      []string
	}{
		"only the variable": {
			"linux", variables{
				"PJRT_PLUGIN_LIBRARY_PATH": "/a::/b", "HOME": "/home/u", "LD_LIBRARY_PATH": "/ld",
			}, []string{"/a", "/b"},
		},
		"empty variable": {
			"linux", variables{"PJRT_PLUGIN_LIBRARY_PATH": "", "HOME": "/home/u"}, []string{},
		},
		"relative": {
			"linux", variables{"PJRT_PLUGIN_LIBRARY_PATH": "plugins", "PWD": "/here"},
			[]string{"/here/plugins"},
		},
		"Linux": {
			"linux", variables{"HOME": "/home/u", "LD_LIBRARY_PATH": "/ld:relative:"},
			[]string{
				"/home/u/.local/lib/go-xla", "/home/u/.local/lib/go-xla/nvidia",
				"/usr/local/lib/go-xla", "/usr/local/lib/go-xla/nvidia", "/ld",
			},
		},
		"no home": {
			"linux", nil, []string{"/usr/local/lib/go-xla", "/usr/local/lib/go-xla/nvidia"},
		},
		"macOS": {
			"darwin", variables{"HOME": "/Users/u"},
			[]string{
				path.Join(support, "go-xla"), path.Join(support, "go-xla/nvidia"),
				"/usr/local/lib/go-xla", "/usr/local/lib/go-xla/nvidia",
			},
		},
	} {
		m := probetest.Machine(c.variables, nil)
		m.System = c.system
		if got := m.PluginFolders(); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}
