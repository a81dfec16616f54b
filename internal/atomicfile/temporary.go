package atomicfile

import (
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// mark separates the final name from a random number in temporary names.
const mark = ".autoblm-"

// temporary is a file or a folder with a temporary name. It is locked while it is open, so that
// other processes do not remove it. The lock ends with the process.
type temporary struct {
	file *os.File
	path string
}

func newTemporary(
	dir, name string, create func(path string) (*os.File, error),
) (*temporary, error) {
	var last error
	for range 10 { // another process may remove it before it is locked
		t := temporary{path: temporaryPath(dir, name)}
		if t.file, last = create(t.path); last != nil {
			continue
		}
		if !errors.Is(lock(t.file), errInUse) && isAt(t.path, t.file) {
			return &t, nil
		}
		t.discard()
		last = errInUse
	}
	return nil, last
}

// rename gives the file or folder its final name. It stays locked until then, except on Windows,
// which cannot rename open files.
func (t *temporary) rename(path string) error {
	if runtime.GOOS == "windows" {
		_ = t.file.Close()
	}
	if err := os.Rename(t.path, path); err != nil {
		return err
	}
	return ignoreClosed(t.file.Close())
}

// discard removes the file or folder, unless it was renamed.
func (t *temporary) discard() {
	if runtime.GOOS == "windows" {
		_ = t.file.Close()
	}
	_ = os.RemoveAll(t.path)
	_ = t.file.Close()
}

func ignoreClosed(err error) error {
	if errors.Is(err, fs.ErrClosed) {
		return nil
	}
	return err
}

// oldAge is the age from which a file that cannot be locked counts as a leftover.
const oldAge = time.Hour

// waitForLock waits up to a second for a lock. Others hold it only briefly. It proceeds if a holder
// is stopped, or if the disk has no locks.
func waitForLock(file *os.File) {
	for range 200 {
		if !errors.Is(lock(file), errInUse) {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// WithLock calls a function while other processes wait to replace files of a folder.
func WithLock(dir string, do func() error) error {
	folder, err := os.Open(dir)
	if err != nil {
		return withoutPath(err)
	}
	defer folder.Close()
	waitForLock(folder)
	return do()
}

// RemoveFolder removes a folder atomically. After a kill, [RemoveLeftovers] removes the rest.
func RemoveFolder(dir string) error {
	dir = filepath.Clean(dir)
	parent, name := filepath.Dir(dir), filepath.Base(dir)
	if err := os.Rename(dir, temporaryPath(parent, name)); err != nil {
		return withoutPath(err)
	}
	removeLeftovers(parent, name)
	return nil
}

// RemoveLeftovers removes the temporary files of killed processes whose final names are wanted. It
// is for names that are not written again.
func RemoveLeftovers(dir string, wanted func(name string) bool) {
	entries, _ := os.ReadDir(dir) // a later write reports the error
	for _, entry := range entries {
		if i := strings.LastIndex(entry.Name(), mark); i > 0 && wanted(entry.Name()[1:i]) {
			removeLeftovers(dir, entry.Name()[1:i])
		}
	}
}

// temporaryPath returns a temporary name.
func temporaryPath(dir, name string) string {
	return filepath.Join(dir, "."+name+mark+strconv.FormatUint(rand.Uint64(), 36))
}

// removeLeftovers removes leftovers of killed processes with these final names.
func removeLeftovers(dir string, names ...string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return // a later write reports the error
	}
	for _, entry := range entries {
		i := strings.LastIndex(entry.Name(), mark)
		if i < 1 || entry.Name()[0] != '.' || !slices.Contains(names, entry.Name()[1:i]) {
			continue
		}
		if entry.Type().IsRegular() || entry.IsDir() { // opening a pipe would block
			removeLeftover(filepath.Join(dir, entry.Name()))
		}
	}
}

func removeLeftover(path string) {
	file, err := os.Open(path)
	if err != nil {
		return
	}
	defer file.Close()
	switch err := lock(file); {
	case errors.Is(err, errInUse):
		return
	case err != nil:
		if info, err := file.Stat(); err != nil || time.Since(info.ModTime()) < oldAge {
			return
		}
		_ = file.Close() // some systems do not remove open files
	}
	_ = os.RemoveAll(path)
}

// flush is a variable so that a test can replace it.
var flush = (*os.File).Sync

// syncFile flushes a file or folder to disk, if the system supports it.
func syncFile(file *os.File) error {
	if runtime.GOOS == "windows" {
		if info, err := file.Stat(); err == nil && info.IsDir() {
			return nil
		}
	}
	err := flush(file)
	if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.EINVAL) {
		return nil
	}
	return err
}

// errInUse means that another process holds the lock.
var errInUse = errors.New("in use")
