package datasets

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// Place says where a data set was found.
type Place struct {
	// Folder has the data; "" if none has.
	Folder string
	// IsPath says that the name is the path of the folder, not a name to look up.
	IsPath bool
	// Note describes another meaning of the name; "" if it has none.
	Note string
}

// Choose finds the data of a name. A path that exists and for which holds is true comes
// first, then the first of the folders for which holds is true; see [Folders].
// With nil folders the name can only be a path.
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
			at.Note = fmt.Sprintf("%s is the folder %s, not %s: if you mean the latter, "+
				"give its path or change the working directory", name, here, other)
		}
		return at
	case named != "":
		note := fmt.Sprintf("%s is read from %s, because %s has no such data: "+
			"give a path if you mean another folder", name, named, here)
		return Place{Folder: named, Note: note}
	}
	return Place{}
}

// isSame reports whether a folder is the file that there describes.
func isSame(there os.FileInfo, folder string) bool {
	info, err := os.Stat(folder)
	return err == nil && os.SameFile(there, info)
}

// HasGraph reports whether a folder has a split of a graph in a format of [ReadFolder].
func HasGraph(dir string) bool {
	return slices.ContainsFunc(splitFiles(), func(file string) bool { return HasFile(dir, file) }) ||
		ogbSplit(dir) != ""
}

// splitFiles returns the names of the text files that hold a split.
func splitFiles() []string {
	var names []string
	for _, split := range splitNames {
		names = append(append(names, tabFiles(split)...), split+"2id.txt")
	}
	return names
}

// HasFile reports whether a folder has a file, plain or with .gz.
func HasFile(dir, file string) bool {
	for _, name := range []string{file, file + ".gz"} {
		_, err := os.Stat(filepath.Join(dir, name))
		if err == nil || errors.Is(err, fs.ErrPermission) { // its reader reports that
			return true
		}
	}
	return false
}
