package install

import (
	"os"
	"path/filepath"
	"runtime"

	"github.com/adrg/xdg"
)

// Folders holds the folders of an installation.
type Folders struct {
	Home Home
	// Jupyter is Jupyter's data folder of the user.
	Jupyter string
}

// Home is the folder of an installation, without the kernel specs.
type Home string

// DefaultHome returns the default folder of this user.
func DefaultHome() Home {
	xdg.Reload()
	return Home(filepath.Join(xdg.DataHome, "autoblm", "kernels"))
}

// Program returns the path of an installed program.
func (h Home) Program(name string) string { return filepath.Join(h.programs(), name) }

// Module returns the folder of the module that cells import from.
func (h Home) Module() string { return filepath.Join(string(h), "env") }

func (h Home) programs() string { return filepath.Join(string(h), "bin") }
func (h Home) tools() string    { return filepath.Join(string(h), "tools") }

// JupyterFolder returns Jupyter's data folder of this user.
// https://docs.jupyter.org/en/latest/use/jupyter-directories.html
func JupyterFolder() (string, error) {
	if folder := os.Getenv("JUPYTER_DATA_DIR"); folder != "" {
		return filepath.Abs(folder)
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", err
	}
	if runtime.GOOS == "darwin" {
		return filepath.Join(home, "Library", "Jupyter"), nil
	}
	if data := os.Getenv("XDG_DATA_HOME"); data != "" {
		return filepath.Abs(filepath.Join(data, "jupyter"))
	}
	return filepath.Join(home, ".local", "share", "jupyter"), nil
}
