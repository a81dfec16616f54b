package show

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
)

// Library is the path of a file or a folder of the library that cells import, which is in a
// checkout or in Go's module cache: what notebooks show of it, as its README and the results
// in notebooks/results, is found wherever they lie. What is not there ends the cell with the
// reason; see [Check].
func Library(path ...string) string {
	_, source, _, _ := runtime.Caller(0)
	found, err := inLibrary(source, path...)
	Check(err)
	return found
}

// Results are the files of the library's folder notebooks/results whose names match a
// pattern: what was measured.
func Results(pattern string) []string {
	return Must(filepath.Glob(filepath.Join(Library("notebooks", "results"), pattern)))
}

// inLibrary finds a path beside the source of this package.
func inLibrary(source string, path ...string) (string, error) {
	wanted := filepath.Join(path...)
	if !filepath.IsAbs(source) {
		return "", fmt.Errorf("where the library lies is not known, so there is no %s: build without -trimpath", wanted)
	}
	found := filepath.Join(filepath.Dir(source), "..", "..", wanted)
	if _, err := os.Stat(found); err != nil {
		return "", fmt.Errorf("the library is no longer where it was when the cell was built: %w: install the kernels again", err)
	}
	return found, nil
}
