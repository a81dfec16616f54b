package study

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/autoblm/autoblm-go/internal/atomicfile"
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

// lockFile returns the path of the lock of a study. A searching process has the lock.
func lockFile(path string) string {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	return filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".lock")
}

// inUse returns the error for a study that a process searches with, nil if none does.
func inUse(path string) *InUseError {
	if holder := atomicfile.LockHolder(lockFile(path)); holder != nil {
		return &InUseError{path, holder.Process}
	}
	return nil
}

// InUseError reports that a process searches with a study.
type InUseError struct {
	Path string
	// Process is the id of that process, 0 if the system does not report it.
	Process int
}

func (e *InUseError) Error() string {
	return fmt.Sprintf("the study %s is in use by %s: wait for it, or name another study",
		e.Path, e.Holder())
}

// Holder describes the process that has the study, such as "process 4711".
func (e *InUseError) Holder() string {
	switch e.Process {
	case 0:
		return "another process"
	case os.Getpid():
		return "this process"
	}
	return fmt.Sprintf("process %d", e.Process)
}
