package study

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
)

// Find returns the sorted paths of the studies in a folder and its subfolders. It considers files
// with the extension .db, and skips hidden folders and what it cannot read.
func Find(folder string) ([]string, error) {
	var found []string
	if folder != "" {
		folder += string(filepath.Separator) // follows a link to a folder
	}
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
		if isStudyFile(path) {
			found = append(found, path)
		}
		return nil
	})
	slices.Sort(found)
	return found, err
}

func isStudyFile(path string) bool {
	var h header
	err := usedFiles.read(path, func() (err error) {
		h, err = readHeader(path)
		return err
	})
	_, searching := errors.AsType[*InUseError](err)
	return searching || err == nil && h.isStudy()
}
