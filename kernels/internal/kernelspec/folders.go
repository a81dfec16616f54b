package kernelspec

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// UserFolder is the folder of Jupyter's data of this user: JUPYTER_DATA_DIR, or
// what Jupyter takes without it.
func UserFolder() (string, error) {
	return userFolder(runtime.GOOS, os.Getenv, os.UserHomeDir)
}

func userFolder(system string, variable func(string) string, home func() (string, error)) (string, error) {
	if folder := variable("JUPYTER_DATA_DIR"); folder != "" {
		return filepath.Abs(folder)
	}
	if data := variable("XDG_DATA_HOME"); data != "" && system != "darwin" {
		return filepath.Abs(filepath.Join(data, "jupyter"))
	}
	h, err := home()
	if err != nil {
		return "", err
	}
	if system == "darwin" {
		return filepath.Join(h, "Library", "Jupyter"), nil
	}
	return filepath.Join(h, ".local", "share", "jupyter"), nil
}

// Folders are all folders of Jupyter's data, in the order in which it looks for
// a kernel, with that of the user as given.
func Folders(user string) []string {
	var folders []string
	for folder := range strings.SplitSeq(os.Getenv("JUPYTER_PATH"), string(os.PathListSeparator)) {
		if folder != "" {
			folders = append(folders, folder)
		}
	}
	return append(folders, user, "/usr/local/share/jupyter", "/usr/share/jupyter")
}
