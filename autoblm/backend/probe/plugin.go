package probe

import (
	"cmp"
	"io/fs"
	"os"
	"path"
	"regexp"
	"strings"
)

// Plugin is a file that has the name of a PJRT plugin or is one.
type Plugin struct {
	// Name is go-xla's name of the plugin, such as "cpu" or "cuda".
	Name string
	// Path is the absolute path.
	Path string
	// Version is the version, such as "v0.114.0" or "xla-cpu-pjrt-0.0.1", or "" if unknown.
	Version string
	// Problem is the reason why XLA cannot load it, or nil.
	Problem *Problem
}

// CUDA reports whether the plugin is for NVIDIA GPUs.
func (p Plugin) CUDA() bool { return IsCUDA(p.Name) }

// CPU reports whether the plugin runs on the CPU.
func (p Plugin) CPU() bool { return p.Name == "cpu" || strings.HasPrefix(p.Name, "cpu_") }

// IsCUDA reports whether a plugin with a name is for NVIDIA GPUs, by go-xla's rule.
func IsCUDA(name string) bool {
	name = strings.ToLower(name)
	return strings.Contains(name, "cuda") || strings.Contains(name, "nvidia")
}

// Plugins returns the plugins that go-xla finds by name, in the order of its folders. Links to the
// same file count once.
func (m Machine) Plugins() []Plugin {
	var found pluginList
	for _, folder := range m.PluginFolders() {
		for _, entry := range m.list(folder) {
			if name, version := pluginName(entry.Name()); name != "" {
				file := path.Join(folder, entry.Name())
				found.add(m, Plugin{Name: name, Path: file, Version: version})
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
	name, version := pluginName(file)
	return Plugin{
		Name: cmp.Or(name, file), Path: file, Version: version, Problem: m.examine(file),
	}
}

// pluginFile matches the file name of a plugin and extracts the plugin's name.
var pluginFile = regexp.MustCompile(
	`^(?:pjrt-plugin-(.+)|pjrt_plugin_(.+)|pjrt_c_api_(.+)_plugin)\.(?:so|dylib)$`)

// pluginName extracts the name of a plugin from the name of its file, or returns "". The name
// may end in a version, as in cpu_v0.114.0 and cpu_xla-cpu-pjrt-0.0.1.
func pluginName(file string) (name, version string) {
	if match := pluginFile.FindStringSubmatch(path.Base(file)); match != nil {
		name = cmp.Or(match[1:]...)
		_, version, _ = strings.Cut(name, "_")
	}
	return name, version
}
