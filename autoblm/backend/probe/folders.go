package probe

import (
	"path"
	"slices"
	"strings"
)

// PluginPaths is the variable with the folders in which go-xla looks for
// plugins instead of its own.
const PluginPaths = "PJRT_PLUGIN_LIBRARY_PATH"

// PluginFolders are the folders in which go-xla looks for plugins by name, first
// come first. It is what go-xla's package pjrt does when a program starts.
func (m Machine) PluginFolders() []string {
	if paths, set := m.Env(PluginPaths); set {
		folders := folderList(paths)
		for i, folder := range folders {
			if !path.IsAbs(folder) {
				folders[i] = path.Join(m.variable("PWD"), folder)
			}
		}
		return absolute(folders)
	}
	var folders []string
	home := m.variable("HOME")
	if m.System == "darwin" {
		if home != "" {
			support := path.Join(home, "Library", "Application Support")
			folders = append(folders, path.Join(support, "go-xla"), path.Join(support, "GoMLX", "PJRT"))
		}
		folders = append(folders, "/usr/local/lib/go-xla", "/usr/local/lib/gomlx/pjrt")
		folders = append(folders, absolute(folderList(m.variable("DYLD_LIBRARY_PATH")))...)
		return append(folders, absolute(folderList(m.variable("LD_LIBRARY_PATH")))...)
	}
	libraries := []string{"/usr/local/lib"}
	if home != "" {
		libraries = []string{path.Join(home, ".local", "lib"), "/usr/local/lib"}
	}
	for _, library := range libraries {
		own := path.Join(library, "go-xla")
		folders = append(folders, own, path.Join(own, "nvidia"), path.Join(library, "gomlx", "pjrt"))
	}
	folders = append(folders, absolute(folderList(m.variable("LD_LIBRARY_PATH")))...)
	return append(folders, m.linkerFolders("/etc/ld.so.conf", 0)...)
}

// linkerFolders are the folders that a configuration of the dynamic linker names.
func (m Machine) linkerFolders(file string, depth int) []string {
	if depth > 8 { // a file that includes itself
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

// pythonFolders are the folders with Python packages: of the environment that is
// active, of the python3 that a shell would start, and of the system.
func (m Machine) pythonFolders() []string {
	folders := absolute(folderList(m.variable("PYTHONPATH")))
	var prefixes []string
	for _, variable := range []string{"VIRTUAL_ENV", "CONDA_PREFIX"} {
		if prefix := m.variable(variable); prefix != "" {
			prefixes = append(prefixes, prefix)
		}
	}
	for _, programs := range absolute(folderList(m.variable("PATH"))) {
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
				if strings.HasPrefix(entry.Name(), "python3") {
					python := path.Join(library, entry.Name())
					folders = append(folders, path.Join(python, "site-packages"), path.Join(python, "dist-packages"))
				}
			}
		}
	}
	return folders
}

// glob are the files that match a pattern in their last element.
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

// folderList splits a variable such as PATH.
func folderList(paths string) []string {
	return slices.DeleteFunc(strings.Split(paths, ":"), func(folder string) bool { return folder == "" })
}

func absolute(folders []string) []string {
	return slices.DeleteFunc(folders, func(folder string) bool { return !path.IsAbs(folder) })
}

// inFS is a path as [fs.FS] has it.
func inFS(file string) string {
	if file = strings.TrimPrefix(path.Clean(file), "/"); file == "" {
		return "."
	}
	return file
}
