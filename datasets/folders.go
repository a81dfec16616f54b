package datasets

import (
	"os"
	"path/filepath"
)

// Folders lists the folders in which a benchmark is searched, in order: $AUTOBLM_DATA/NAME
// and the cache. They need not exist. A name that can only be a path, such as ./NAME, has none.
func Folders(name string) []string {
	if !filepath.IsLocal(name) || filepath.Clean(name) != name || name == "." {
		return nil
	}
	folders := []string{cacheFolder("datasets", name)}
	if data := os.Getenv(dataVariable); data != "" {
		folders = append([]string{filepath.Join(data, name)}, folders...)
	}
	return folders
}

// SourceFolder returns the folder of a source that a model or a study stores. For a name it
// is the folder of that benchmark, never one of the same name in the working directory.
func SourceFolder(source string) string {
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
