package probe

import (
	"path"
	"slices"
	"strings"
)

// PluginPaths is the variable with the folders that go-xla searches for plugins instead
// of its default folders.
const PluginPaths = "PJRT_PLUGIN_LIBRARY_PATH"

// PluginFolders returns the folders that go-xla searches for plugins, in its order, except
// those of older versions of GoMLX and of the dynamic linker's configuration.
func (m Machine) PluginFolders() []string {
	if paths, set := m.Env(PluginPaths); set {
		folders := splitPath(paths)
		for i, folder := range folders {
			if !path.IsAbs(folder) {
				folders[i] = path.Join(m.variable("PWD"), folder)
			}
		}
		return onlyAbsolute(folders)
	}
	home := m.variable("HOME")
	libraries := []string{path.Join(home, ".local", "lib"), "/usr/local/lib"}
	if m.System == "darwin" {
		libraries[0] = path.Join(home, "Library", "Application Support")
	}
	if home == "" {
		libraries = libraries[1:]
	}
	var folders []string
	for _, library := range libraries {
		goXLA := path.Join(library, "go-xla")
		folders = append(folders, goXLA, path.Join(goXLA, "nvidia"))
	}
	return append(folders, onlyAbsolute(splitPath(m.variable("LD_LIBRARY_PATH")))...)
}

// splitPath splits a list of folders such as PATH and drops empty entries.
func splitPath(paths string) []string {
	isEmpty := func(folder string) bool { return folder == "" }
	return slices.DeleteFunc(strings.Split(paths, ":"), isEmpty)
}

func onlyAbsolute(folders []string) []string {
	return slices.DeleteFunc(folders, func(folder string) bool { return !path.IsAbs(folder) })
}

// fsPath converts an absolute path to one for [fs.FS].
func fsPath(file string) string {
	if file = strings.TrimPrefix(path.Clean(file), "/"); file == "" {
		return "."
	}
	return file
}
