package probe

import (
	"cmp"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
)

// Plugin is a file that has the name of a PJRT plugin or is one.
type Plugin struct {
	// Name is go-xla's name of the plugin, such as "cpu" or "cuda".
	Name string
	// Path is the absolute path.
	Path string
	// Version is the version, such as "v0.114.0", "xla-cpu-pjrt 0.0.1" or "Jax 0.11.2",
	// or "" if unknown.
	Version string
	// Jax marks a plugin in a Python package, which go-xla does not find by its name.
	Jax bool
	// Problem is the reason why XLA cannot load it, or nil.
	Problem *Problem
}

// CUDA reports whether the plugin is for NVIDIA GPUs.
func (p Plugin) CUDA() bool { return IsCUDA(p.Name) }

// IsCUDA reports whether a plugin with a name is for NVIDIA GPUs, by go-xla's rule.
func IsCUDA(name string) bool {
	name = strings.ToLower(name)
	return strings.Contains(name, "cuda") || strings.Contains(name, "nvidia")
}

// Plugins returns the plugins that go-xla finds by name, in its order, then those in Jax's
// Python packages. Links to the same file count once.
func (m Machine) Plugins() []Plugin {
	var found pluginList
	for _, folder := range m.PluginFolders() {
		entries := m.list(folder)
		for _, pattern := range namePatterns {
			for _, entry := range entries {
				if name, ok := pattern.name(entry.Name()); ok {
					file := path.Join(folder, entry.Name())
					found.add(m, Plugin{Name: name, Path: file, Version: versionInName(name)})
				}
			}
		}
	}
	for _, folder := range m.pythonFolders() {
		packages := path.Join(folder, "jax_plugins")
		for _, entry := range m.list(packages) {
			if cuda, ok := strings.CutPrefix(entry.Name(), "xla_cuda"); ok {
				file := path.Join(packages, entry.Name(), "xla_cuda_plugin.so")
				version := m.jaxVersion(folder, cuda)
				found.add(m, Plugin{Name: "cuda", Path: file, Version: version, Jax: true})
			}
		}
	}
	return found.plugins
}

// pluginList is a list of plugins with different files.
type pluginList struct {
	plugins []Plugin
	files   []fs.FileInfo
}

// add examines a plugin and adds it unless its file is in the list.
func (l *pluginList) add(m Machine, p Plugin) {
	info, err := fs.Stat(m.Files, fsPath(p.Path))
	if err != nil { // a broken link
		return
	}
	for i, f := range l.files {
		if os.SameFile(f, info) || l.plugins[i].Path == p.Path {
			l.plugins[i].Version = cmp.Or(l.plugins[i].Version, p.Version)
			return
		}
	}
	p.Problem = m.examine(p.Path)
	l.plugins, l.files = append(l.plugins, p), append(l.files, info)
}

// PluginAt returns the plugin at an absolute path. The file may have any name.
func (m Machine) PluginAt(file string) Plugin {
	p := Plugin{Name: file, Path: file, Problem: m.examine(file)}
	i := slices.IndexFunc(namePatterns, func(n namePattern) bool {
		_, ok := n.name(path.Base(file))
		return ok
	})
	if i >= 0 {
		p.Name, _ = namePatterns[i].name(path.Base(file))
		p.Version = versionInName(p.Name)
	}
	return p
}

// namePattern is a pattern of the file name of a plugin.
type namePattern struct{ prefix, suffix string }

var namePatterns = []namePattern{
	{"pjrt-plugin-", ".so"}, {"pjrt_plugin_", ".so"}, {"pjrt_c_api_", "_plugin.so"},
	{"pjrt-plugin-", ".dylib"}, {"pjrt_plugin_", ".dylib"}, {"pjrt_c_api_", "_plugin.dylib"},
}

// name extracts the name of a plugin from the name of its file.
func (n namePattern) name(file string) (string, bool) {
	rest, hasPrefix := strings.CutPrefix(file, n.prefix)
	name, hasSuffix := strings.CutSuffix(rest, n.suffix)
	return name, hasPrefix && hasSuffix && name != ""
}

var (
	versionSuffix = regexp.MustCompile(`_(v\d+(\.\d+)*)$`)
	packageSuffix = regexp.MustCompile(`_([a-z][a-z0-9-]*)-(\d+(\.\w+)*)$`)
)

// versionInName returns the version in a name such as cpu_v0.114.0, or the package and its
// version in a name such as cpu_xla-cpu-pjrt-0.0.1.
func versionInName(name string) string {
	if match := versionSuffix.FindStringSubmatch(name); match != nil {
		return match[1]
	}
	if match := packageSuffix.FindStringSubmatch(name); match != nil {
		return match[1] + " " + match[2]
	}
	return ""
}

// jaxVersion returns the version of Jax's package for a version of CUDA.
func (m Machine) jaxVersion(packages, cuda string) string {
	prefix := "jax_cuda" + cuda + "_pjrt-"
	for _, entry := range m.list(packages) {
		rest, hasPrefix := strings.CutPrefix(entry.Name(), prefix)
		if version, ok := strings.CutSuffix(rest, ".dist-info"); hasPrefix && ok {
			return "Jax " + version
		}
	}
	return ""
}
