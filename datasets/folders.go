package datasets

import "path/filepath"

// Folders are where a benchmark is looked for, best first: in $AUTOBLM_DATA/NAME
// and in the cache. They need not exist. What can only be a path, as ./NAME, has none.
func Folders(name string) []string {
	if !filepath.IsLocal(name) || filepath.Clean(name) != name || name == "." {
		return nil
	}
	return benchmarkFolders(name)
}
