package pip

import (
	"bytes"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/autoblm/autoblm-go/autoblm/backend/probe"
	"gopkg.in/ini.v1"
)

// files are those of pip's configuration, one that has precedence after those it overrides.
// https://pip.pypa.io/en/stable/topics/configuration
func files(m probe.Machine) []string {
	variable := func(name string) string { value, _ := m.Env(name); return value }
	chosen := variable("PIP_CONFIG_FILE")
	if chosen == "/dev/null" { // pip's word for none at all
		return nil
	}
	home := variable("HOME")
	var all []string
	if m.System == "darwin" {
		all = append(all, "/Library/Application Support/pip")
	} else {
		shared := variable("XDG_CONFIG_DIRS")
		if shared == "" {
			shared = "/etc/xdg"
		}
		for folder := range strings.SplitSeq(shared, ":") {
			all = append(all, path.Join(folder, "pip"))
		}
		all = append(all, "/etc")
	}
	if home != "" && !(chosen != "" && exists(m, chosen)) {
		all = append(all, path.Join(home, ".pip"), userFolder(m, home, variable("XDG_CONFIG_HOME")))
	}
	for _, environment := range []string{"VIRTUAL_ENV", "CONDA_PREFIX"} {
		if prefix := variable(environment); prefix != "" {
			all = append(all, prefix)
			break
		}
	}
	for i, folder := range all {
		all[i] = path.Join(folder, "pip.conf")
	}
	if chosen != "" {
		all = append(all, chosen)
	}
	return all
}

func userFolder(m probe.Machine, home, chosen string) string {
	if m.System == "darwin" {
		if support := path.Join(home, "Library", "Application Support", "pip"); exists(m, support) {
			return support
		}
	} else if path.IsAbs(chosen) {
		return path.Join(chosen, "pip")
	}
	return path.Join(home, ".config", "pip")
}

func exists(m probe.Machine, file string) bool {
	_, err := fs.Stat(m.Files, inFS(m, file))
	return err == nil
}

func read(m probe.Machine, file string) ([]byte, error) { return fs.ReadFile(m.Files, inFS(m, file)) }

// inFS is a path as [fs.FS] has it, whose root is the root.
func inFS(m probe.Machine, file string) string { return strings.TrimPrefix(absolute(m, file), "/") }

// absolute is a path as the user writes it, with ~ and from where we are, as an absolute one.
func absolute(m probe.Machine, file string) string {
	if rest, ok := strings.CutPrefix(file, "~/"); ok {
		home, _ := m.Env("HOME")
		return path.Join("/", home, rest)
	}
	if !path.IsAbs(file) {
		here, _ := m.Env("PWD")
		return path.Join("/", here, file)
	}
	return path.Clean(file)
}

// options are pip's by name, as "index-url", after files and variables have had their say.
func options(m probe.Machine) (map[string]string, error) {
	global, install := map[string]string{}, map[string]string{}
	for _, file := range files(m) {
		content, err := read(m, file)
		if err != nil { // as if it were not there, as for pip
			continue
		}
		parsed, err := parse(content)
		if err != nil {
			// What is wrong with it may hold a password.
			return nil, fmt.Errorf("pip's file of settings %s cannot be read: see what pip config debug says of it", file)
		}
		copySection(global, parsed, "global")
		copySection(install, parsed, "install")
	}
	all := map[string]string{}
	for _, section := range []map[string]string{global, install} {
		for name, value := range section {
			if value != "" { // says nothing, for pip
				all[name] = value
			}
		}
	}
	for _, name := range known {
		variable := "PIP_" + strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
		if value, _ := m.Env(variable); value != "" {
			all[name] = value
		}
	}
	return all, nil
}

// parse reads what Python's configparser would.
func parse(content []byte) (*ini.File, error) {
	return ini.LoadSources(ini.LoadOptions{
		AllowPythonMultilineValues: true,
		IgnoreInlineComment:        true,
		IgnoreContinuation:         true,
		PreserveSurroundedQuote:    true,
	}, bytes.TrimPrefix(content, []byte("\xef\xbb\xbf")))
}

func copySection(to map[string]string, file *ini.File, section string) {
	if !file.HasSection(section) {
		return
	}
	for _, key := range file.Section(section).Keys() {
		name := strings.ReplaceAll(strings.ToLower(key.Name()), "_", "-")
		to[strings.TrimPrefix(name, "--")] = strings.TrimSpace(key.Value())
	}
}
