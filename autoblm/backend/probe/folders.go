package probe

import (
	"path"
	"slices"
	"strings"
)

// PluginPaths is the variable with the folders that go-xla searches for plugins instead
// of its default folders.
const PluginPaths = "PJRT_PLUGIN_LIBRARY_PATH"

// PluginFolders returns the folders that go-xla searches for plugins, in its order. It
// repeats what go-xla's package pjrt does at program start.
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
	if m.System == "darwin" {
		return m.darwinFolders(home)
	}
	libraries := []string{"/usr/local/lib"}
	if home != "" {
		libraries = []string{path.Join(home, ".local", "lib"), "/usr/local/lib"}
	}
	var folders []string
	for _, library := range libraries {
		goXLA := path.Join(library, "go-xla")
		gomlx := path.Join(library, "gomlx", "pjrt")
		folders = append(folders, goXLA, path.Join(goXLA, "nvidia"), gomlx)
	}
	folders = append(folders, onlyAbsolute(splitPath(m.variable("LD_LIBRARY_PATH")))...)
	return append(folders, m.linkerFolders("/etc/ld.so.conf", 0)...)
}

func (m Machine) darwinFolders(home string) (folders []string) {
	if home != "" {
		support := path.Join(home, "Library", "Application Support")
		folders = append(folders, path.Join(support, "go-xla"), path.Join(support, "GoMLX", "PJRT"))
	}
	folders = append(folders, "/usr/local/lib/go-xla", "/usr/local/lib/gomlx/pjrt")
	folders = append(folders, onlyAbsolute(splitPath(m.variable("DYLD_LIBRARY_PATH")))...)
	return append(folders, onlyAbsolute(splitPath(m.variable("LD_LIBRARY_PATH")))...)
}

// linkerFolders returns the folders in a configuration file of the dynamic linker.
func (m Machine) linkerFolders(file string, depth int) []string {
	if depth > 8 { // the file includes itself
		return nil
	}
	var folders []string
	for line := range strings.Lines(m.read(file)) {
		line = strings.TrimSpace(line)
		if pattern, ok := strings.CutPrefix(line, "include"); ok {
			for _, included := range m.glob(strings.TrimSpace(pattern)) {
				folders = append(folders, m.linkerFolders(included, depth+1)...)
			}
		} else if strings.HasPrefix(line, "/") {
			folders = append(folders, line)
		}
	}
	return folders
}

// pythonFolders returns the folders of Python packages: of the active environment, of the
// first python3 in PATH, of the user and of the system.
func (m Machine) pythonFolders() []string {
	folders := onlyAbsolute(splitPath(m.variable("PYTHONPATH")))
	var prefixes []string
	for _, variable := range []string{"VIRTUAL_ENV", "CONDA_PREFIX"} {
		if prefix := m.variable(variable); prefix != "" {
			prefixes = append(prefixes, prefix)
		}
	}
	for _, programs := range onlyAbsolute(splitPath(m.variable("PATH"))) {
		if m.exists(path.Join(programs, "python3")) {
			prefixes = append(prefixes, path.Dir(path.Clean(programs)))
			break
		}
	}
	if home := m.variable("HOME"); home != "" {
		prefixes = append(prefixes, path.Join(home, ".local"))
	}
	prefixes = append(prefixes, "/usr/local", "/usr")
	for _, prefix := range prefixes {
		for _, library := range []string{path.Join(prefix, "lib"), path.Join(prefix, "lib64")} {
			for _, entry := range m.list(library) {
				if !strings.HasPrefix(entry.Name(), "python3") {
					continue
				}
				python := path.Join(library, entry.Name())
				folders = append(folders,
					path.Join(python, "site-packages"), path.Join(python, "dist-packages"))
			}
		}
	}
	return folders
}

// glob returns the files that match a pattern in their last element.
func (m Machine) glob(pattern string) []string {
	folder, pattern := path.Split(pattern)
	var found []string
	for _, entry := range m.list(folder) {
		if ok, _ := path.Match(pattern, entry.Name()); ok {
			found = append(found, path.Join(folder, entry.Name()))
		}
	}
	return found
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
