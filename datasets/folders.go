package datasets

import (
	"os"
	"path/filepath"
)

// Folders are where a benchmark is looked for, best first: in $AUTOBLM_DATA/NAME
// and in the cache. They need not exist. What can only be a path, as ./NAME, has none.
func Folders(name string) []string {
	if !filepath.IsLocal(name) || filepath.Clean(name) != name || name == "." {
		return nil
	}
	return benchmarkFolders(name)
}

// Kept is the path of what a model or a study keeps as its source: where it is a name, the
// folder of that name, and not one of the current folder that is called so.
func Kept(source string) string {
	if dir, found := Locate(source); found {
		return dir
	}
	for _, dir := range Folders(source) {
		if info, err := os.Stat(dir); err == nil && info.IsDir() {
			return dir
		}
	}
	return source
}
