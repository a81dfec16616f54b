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

// Plugin is a file that is, or is named like, a PJRT plugin.
type Plugin struct {
	// Name is what go-xla calls it, as "cpu" or "cuda".
	Name string
	// Path is absolute.
	Path string
	// Version is as "v0.114.0", "xla-cpu-pjrt 0.0.1" or "Jax 0.11.2", or "" when
	// nothing beside the file tells it.
	Version string
	// Jax says that it is part of a Python package, where go-xla does not find it
	// by its name.
	Jax bool
	// Problem is why it cannot be loaded, or nil.
	Problem *Problem
}

// CUDA says whether a plugin is for NVIDIA GPUs; go-xla tells it by the name, too.
func (p Plugin) CUDA() bool { return IsCUDA(p.Name) }

// IsCUDA says whether the name of a plugin is that of one for NVIDIA GPUs.
func IsCUDA(name string) bool {
	name = strings.ToLower(name)
	return strings.Contains(name, "cuda") || strings.Contains(name, "nvidia")
}

// Plugins are all plugins found: those that go-xla finds by name, in its order,
// then those in Jax's Python packages. A file has one entry, whatever links to it.
func (m Machine) Plugins() []Plugin {
	var found []Plugin
	var files []fs.FileInfo
	add := func(p Plugin) {
		info, err := fs.Stat(m.Files, inFS(p.Path))
		if err != nil { // a link to nowhere
			return
		}
		for i, f := range files {
			if os.SameFile(f, info) || found[i].Path == p.Path {
				found[i].Version = cmp.Or(found[i].Version, p.Version)
				return
			}
		}
		p.Problem = m.examine(p.Path)
		found, files = append(found, p), append(files, info)
	}
	for _, folder := range m.PluginFolders() {
		entries := m.list(folder)
		for _, form := range pluginForms {
			for _, entry := range entries {
				if name, ok := form.name(entry.Name()); ok {
					add(Plugin{Name: name, Path: path.Join(folder, entry.Name()), Version: versionInName(name)})
				}
			}
		}
	}
	for _, folder := range m.pythonFolders() {
		for _, entry := range m.list(path.Join(folder, "jax_plugins")) {
			if cuda, ok := strings.CutPrefix(entry.Name(), "xla_cuda"); ok {
				file := path.Join(folder, "jax_plugins", entry.Name(), "xla_cuda_plugin.so")
				add(Plugin{Name: "cuda", Path: file, Version: m.jaxVersion(folder, cuda), Jax: true})
			}
		}
	}
	return found
}

// PluginAt is the plugin at an absolute path, whatever its name.
func (m Machine) PluginAt(file string) Plugin {
	i := slices.IndexFunc(pluginForms, func(f form) bool { _, ok := f.name(path.Base(file)); return ok })
	p := Plugin{Name: file, Path: file, Problem: m.examine(file)}
	if i >= 0 {
		p.Name, _ = pluginForms[i].name(path.Base(file))
		p.Version = versionInName(p.Name)
	}
	return p
}

// form is how a plugin's file is named.
type form struct{ before, after string }

var pluginForms = []form{
	{"pjrt-plugin-", ".so"}, {"pjrt_plugin_", ".so"}, {"pjrt_c_api_", "_plugin.so"},
	{"pjrt-plugin-", ".dylib"}, {"pjrt_plugin_", ".dylib"}, {"pjrt_c_api_", "_plugin.dylib"},
}

// name is the plugin's name in that of its file.
func (f form) name(file string) (string, bool) {
	rest, before := strings.CutPrefix(file, f.before)
	name, after := strings.CutSuffix(rest, f.after)
	return name, before && after && name != ""
}

var (
	versionSuffix = regexp.MustCompile(`_(v\d+(\.\d+)*)$`)
	packageSuffix = regexp.MustCompile(`_([a-z][a-z0-9-]*)-(\d+(\.\w+)*)$`)
)

// versionInName is what comes after the first part of a name such as cpu_v0.114.0, or
// cpu_xla-cpu-pjrt-0.0.1 for a version of a package.
func versionInName(name string) string {
	if match := versionSuffix.FindStringSubmatch(name); match != nil {
		return match[1]
	}
	if match := packageSuffix.FindStringSubmatch(name); match != nil {
		return match[1] + " " + match[2]
	}
	return ""
}

// jaxVersion is the version of Jax's package for a version of CUDA.
func (m Machine) jaxVersion(packages, cuda string) string {
	prefix := "jax_cuda" + cuda + "_pjrt-"
	for _, entry := range m.list(packages) {
		rest, ok := strings.CutPrefix(entry.Name(), prefix)
		if version, of := strings.CutSuffix(rest, ".dist-info"); ok && of {
			return "Jax " + version
		}
	}
	return ""
}
