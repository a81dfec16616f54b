package study

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
)

// Find returns the sorted paths of the studies in a folder and its subfolders. It considers files
// with the extension .db, and skips hidden folders and what it cannot read.
func Find(folder string) ([]string, error) {
	openStudies.Lock()
	defer openStudies.Unlock()
	var found []string
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil && path == folder:
			return fmt.Errorf("cannot look for studies: %w", err)
		case err != nil:
			return nil
		case entry.IsDir() && path != folder && strings.HasPrefix(entry.Name(), "."):
			return fs.SkipDir
		case !entry.Type().IsRegular() || filepath.Ext(path) != ".db":
			return nil
		}
		if openStudies.has(path) {
			found = append(found, path)
		} else if h, err := readHeader(path); err == nil && h.isStudy() {
			found = append(found, path)
		}
		return nil
	})
	slices.Sort(found)
	return found, err
}
