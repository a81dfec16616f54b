package datasets

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Place is where a data set lies.
type Place struct {
	// Folder has it, "" where none has.
	Folder string
	// IsPath says that the name is the path of the folder, and nothing that is looked for elsewhere.
	IsPath bool
	// Note says what else the name could mean, "" where there is nothing else.
	Note string
}

// Choose says where the data of a name lie. A path that exists comes before a name: the
// folder of this path, where it holds data of the kind that is wanted, and else the first of
// the folders that does; see [Folders]. Where there are none, nil, the name is but a path.
func Choose(name string, folders []string, holds func(dir string) bool) Place {
	named := ""
	for _, dir := range folders {
		if holds(dir) {
			named = dir
			break
		}
	}
	here, err := filepath.Abs(name)
	switch there, missing := os.Stat(name); {
	case missing != nil || err != nil || isSame(there, named):
		return Place{Folder: named}
	case holds(name):
		other := named
		if other == "" && folders != nil && name == worldName {
			other = "the embedded graph"
		}
		at := Place{Folder: name, IsPath: true}
		if other != "" {
			at.Note = fmt.Sprintf("%s is the folder %s, and not %s: give the path of that, or go elsewhere, if that is meant", name, here, other)
		}
		return at
	case named != "":
		return Place{Folder: named, Note: fmt.Sprintf("%s is taken from %s, for what lies at %s is no such data: give a path if another is meant", name, named, here)}
	}
	return Place{}
}

// isSame says whether a folder is what was found, under whatever path.
func isSame(there os.FileInfo, folder string) bool {
	info, err := os.Stat(folder)
	return err == nil && os.SameFile(there, info)
}

// HasGraph says whether a folder has a split of a graph, in any form.
func HasGraph(dir string) bool {
	for _, split := range splitNames {
		for _, form := range []string{".txt", ".tsv", "2id.txt"} {
			if HasFile(dir, split+form) {
				return true
			}
		}
	}
	return false
}

// HasFile says whether a folder has a file, plain or with .gz.
func HasFile(dir, file string) bool {
	for _, name := range []string{file, file + ".gz"} {
		_, err := os.Stat(filepath.Join(dir, name))
		if err == nil || errors.Is(err, fs.ErrPermission) { // which is for its reader to report
			return true
		}
	}
	return false
}
