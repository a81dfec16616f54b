package study

import (
	"os"
	"slices"
	"sync"
)

// openStudies lists the studies that this process has open. A process loses its locks on a file
// when it closes the file anywhere. So nothing in this package opens a listed file, and the list
// stays locked while a file is read.
var openStudies fileList

type fileList struct {
	sync.Mutex
	files []os.FileInfo
}

// has reports whether the list has a file. The list must be locked.
func (l *fileList) has(path string) bool {
	file, err := os.Stat(path)
	if err != nil {
		return false
	}
	return slices.ContainsFunc(l.files, func(other os.FileInfo) bool {
		return os.SameFile(file, other)
	})
}

func (l *fileList) remove(file os.FileInfo) {
	l.files = slices.DeleteFunc(l.files, func(other os.FileInfo) bool { return other == file })
}
