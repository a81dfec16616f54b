package show

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
)

// Library returns the path of a file or folder of this module in the checkout or in Go's module
// cache. Notebooks use it to show documents and results. A missing path ends the cell; see [Check].
func Library(path ...string) string {
	_, source, _, _ := runtime.Caller(0)
	found, err := inLibrary(source, path...)
	Check(err)
	return found
}

// inLibrary returns a path relative to the root of the module. source is a file of this package.
func inLibrary(source string, path ...string) (string, error) {
	wanted := filepath.Join(path...)
	if !filepath.IsAbs(source) {
		return "", fmt.Errorf("find %s: the path of the module is unknown; build without -trimpath",
			wanted)
	}
	found := filepath.Join(filepath.Dir(source), "..", "..", wanted)
	if _, err := os.Stat(found); err != nil {
		return "", fmt.Errorf("the module has moved since the cell was built: %w; "+
			"install the kernels again", err)
	}
	return found, nil
}
