package study

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/autoblm/autoblm-go/internal/atomicfile"
)

// usedFiles lists the studies that this process searches with or reads. A process loses its locks on a
// file when it closes the file anywhere. So nothing in this package reads a study with which the
// process searches, and a search begins when the reads of its file have ended. Different files do
// not wait for each other.
var usedFiles = fileList{idle: sync.NewCond(new(sync.Mutex))}

type fileList struct {
	idle    *sync.Cond // signals the end of the last read of a file; its lock guards the list
	entries []*usedFile
}

// usedFile is a file that this process uses.
type usedFile struct {
	info      os.FileInfo
	readers   int
	searching bool
}

// use returns the entry of a file, which may be new. The list must be locked.
func (l *fileList) use(path string) (*usedFile, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, explainRead(path, err)
	}
	for _, f := range l.entries {
		if os.SameFile(f.info, info) {
			if f.searching {
				return nil, &InUseError{path, os.Getpid()}
			}
			return f, nil
		}
	}
	f := &usedFile{info: info}
	l.entries = append(l.entries, f)
	return f, nil
}

// read calls f, which may open the file of a study and must close it. It fails with an
// [InUseError] if this process searches with the study.
func (l *fileList) read(path string, f func() error) error {
	l.idle.L.Lock()
	file, err := l.use(path)
	if err == nil {
		file.readers++
	}
	l.idle.L.Unlock()
	if err != nil {
		return err
	}
	defer func() {
		l.idle.L.Lock()
		defer l.idle.L.Unlock()
		if file.readers--; file.readers == 0 {
			l.drop(file)
		}
	}()
	return f()
}

// search waits for the reads of a file and then keeps the file for a search, until release. It
// creates a missing file, because a file without an inode cannot be listed.
func (l *fileList) search(path string) (release func(), err error) {
	l.idle.L.Lock()
	defer l.idle.L.Unlock()
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		// Another process may create it first, so nothing is truncated.
		created, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
		if err != nil {
			return nil, notWritable(path, err)
		}
		created.Close()
	}
	file, err := l.use(path)
	if err != nil {
		return nil, err
	}
	file.searching = true
	for file.readers > 0 {
		l.idle.Wait()
	}
	return func() {
		l.idle.L.Lock()
		defer l.idle.L.Unlock()
		file.searching = false
		l.drop(file)
	}, nil
}

// drop ends the use of a file, unless a search waits for it. The list must be locked.
func (l *fileList) drop(file *usedFile) {
	if !file.searching {
		l.entries = slices.DeleteFunc(l.entries, func(f *usedFile) bool { return f == file })
	}
	l.idle.Broadcast()
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
		e.Path, e.holder())
}

// holder describes the process that has the study, such as "process 4711".
func (e *InUseError) holder() string {
	switch e.Process {
	case 0:
		return "another process"
	case os.Getpid():
		return "this process"
	}
	return fmt.Sprintf("process %d", e.Process)
}
