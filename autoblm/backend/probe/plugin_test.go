package probe_test

import (
	"debug/elf"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/backend/probe"
	"github.com/autoblm/autoblm-go/autoblm/backend/probe/probetest"
	"github.com/google/go-cmp/cmp"
)

func TestPlugins(t *testing.T) {
	plugin := probetest.Plugin()
	const home, local = "/home/u/.local/lib/go-xla/", "/usr/local/lib/go-xla/"
	m := probetest.Machine(map[string]string{"HOME": "/home/u"}, map[string][]byte{
		home + "pjrt_c_api_cpu_v0.114.0_plugin.so": plugin,
		home + "nvidia/pjrt_c_api_cuda_plugin.so":  plugin,
		home + "nvidia/libcublas.so":               plugin,
		local + "pjrt-plugin-tpu.so":               plugin,
		local + "pjrt_c_api__plugin.so":            plugin, // without a name
	})
	want := []probe.Plugin{
		{
			Name: "cpu_v0.114.0", Path: home + "pjrt_c_api_cpu_v0.114.0_plugin.so",
			Version: "v0.114.0",
		},
		{Name: "cuda", Path: home + "nvidia/pjrt_c_api_cuda_plugin.so"},
		{Name: "tpu", Path: local + "pjrt-plugin-tpu.so"},
	}
	if diff := cmp.Diff(want, m.Plugins()); diff != "" {
		t.Error(diff)
	}
}

// TestLinkedPlugin checks that a plugin and the link that go-xla makes to it count once.
func TestLinkedPlugin(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "pjrt_c_api_cpu_v0.114.0_plugin.so")
	if err := os.WriteFile(file, probetest.Plugin(), 0o644); err != nil {
		t.Fatal(err)
	}
	for link, target := range map[string]string{
		"pjrt_c_api_cpu_plugin.so": filepath.Base(file), "pjrt_c_api_gone_plugin.so": "gone.so",
	} {
		if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
			t.Skip("this system has no symbolic links: ", err)
		}
	}
	m := probetest.Machine(map[string]string{"PJRT_PLUGIN_LIBRARY_PATH": dir}, nil)
	m.Files = os.DirFS("/")
	want := []probe.Plugin{{
		Name: "cpu", Path: filepath.Join(dir, "pjrt_c_api_cpu_plugin.so"), Version: "v0.114.0",
	}}
	if diff := cmp.Diff(want, m.Plugins()); diff != "" {
		t.Error(diff)
	}
}

// TestPluginAt checks the problem of each kind of file that is not a plugin.
func TestPluginAt(t *testing.T) {
	plugin := probetest.Plugin()
	m := probetest.Machine(nil, map[string][]byte{
		"/p/good.so":      plugin,
		"/p/text.so":      []byte("this is no library"),
		"/p/empty.so":     nil,
		"/p/cut.so":       plugin[:len(plugin)-70],
		"/p/beginning.so": plugin[:20],
		"/p/library.so":   probetest.Library(elf.EM_X86_64, "another", "function"),
		"/p/bare.so":      probetest.Library(elf.EM_X86_64),
		"/p/arm.so":       probetest.Library(elf.EM_AARCH64, "GetPjrtApi"),
		"/p/a,b.so":       plugin,
	})
	for file, want := range map[string]string{
		"/p/good.so":      "",
		"/p/gone.so":      "does not exist",
		"/p":              "is not a file",
		"/p/text.so":      "not a shared library",
		"/p/empty.so":     "not a shared library",
		"/p/cut.so":       "damaged",
		"/p/beginning.so": "damaged",
		"/p/library.so":   "not a PJRT plugin",
		"/p/bare.so":      "not a PJRT plugin",
		"/p/arm.so":       "another processor",
		"/p/a,b.so":       "comma",
	} {
		p := m.PluginAt(file)
		if p.Path != file || (p.Problem == nil) != (want == "") {
			t.Errorf("%s: path %s, problem %v", file, p.Path, p.Problem)
			continue
		}
		if p.Problem != nil && (!strings.Contains(p.Problem.Reason, file) ||
			!strings.Contains(p.Problem.Reason, want) || p.Problem.Fix == "") {
			t.Errorf("%s: %v, want the file, %q and a fix", file, p.Problem, want)
		}
	}
	m.Processor = "arm64"
	if p := m.PluginAt("/p/arm.so"); p.Problem != nil {
		t.Errorf("a plugin for arm64 on arm64: %v", p.Problem)
	}
}

// TestPluginAtTestProgram examines a real program of this system.
func TestPluginAtTestProgram(t *testing.T) {
	file, err := os.Executable()
	if err != nil || !filepath.IsAbs(file) || filepath.VolumeName(file) != "" {
		t.Skip("the path of the test program is unknown: ", err)
	}
	if p := probe.This().PluginAt(file); p.Problem == nil {
		t.Error("a test program passes for a plugin")
	}
}

// FuzzPluginAt examines files with any content.
func FuzzPluginAt(f *testing.F) {
	plugin := probetest.Plugin()
	f.Add(plugin)
	f.Add(plugin[:len(plugin)/2])
	f.Fuzz(func(t *testing.T, content []byte) {
		m := probetest.Machine(nil, map[string][]byte{"/p.so": content})
		if m.PluginAt("/p.so").Problem == nil && !strings.Contains(string(content), "GetPjrtApi") {
			t.Error("a file without the name of the entry point passes for a plugin")
		}
	})
}
