package install

import (
	"os"
	"path/filepath"

	"github.com/adrg/xdg"
)

// Home is the folder that everything but the specs is installed in.
type Home string

// DefaultHome is the folder for this user.
func DefaultHome() Home {
	xdg.Reload()
	return Home(filepath.Join(xdg.DataHome, "autoblm", "kernels"))
}

// Program is where a program lies that the kernels run.
func (h Home) Program(name string) string { return filepath.Join(h.programs(), name) }

// Module is the folder of the module that cells import from.
func (h Home) Module() string { return filepath.Join(string(h), "env") }

// unfinished is where that module is made.
func (h Home) unfinished() string { return h.Module() + ".new" }

func (h Home) programs() string { return filepath.Join(string(h), "bin") }
func (h Home) tools() string    { return filepath.Join(string(h), "tools") }
func (h Home) manifest() string { return filepath.Join(string(h), "installed.json") }

// folders makes folders and remembers which of them were not there.
type folders []string

func (made *folders) make(path string) error {
	var missing []string
	for p := path; ; p = filepath.Dir(p) {
		if _, err := os.Stat(p); err == nil || p == filepath.Dir(p) {
			break
		}
		missing = append(missing, p)
	}
	if err := os.MkdirAll(path, 0o755); err != nil {
		return err
	}
	*made = append(*made, missing...)
	return nil
}
