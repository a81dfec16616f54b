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

// mark is what the name of an unfinished file or folder has between the name that it
// will get and a random number.
const mark = ".autoblm-"

// unfinished is a file or a folder on its way to its place. It is locked as long as it
// is open, so others see that somebody is at work; the lock goes with the process.
type unfinished struct {
	file *os.File
	path string
}

func newUnfinished(dir, name string, make func(path string) (*os.File, error)) (*unfinished, error) {
	var last error
	for range 10 { // until nobody has taken it for a leftover before it was locked
		u := unfinished{path: aside(dir, name)}
		if u.file, last = make(u.path); last != nil {
			continue
		}
		locked := lock(u.file)
		var there, here fs.FileInfo
		if here, last = u.file.Stat(); last == nil {
			there, last = os.Lstat(u.path)
		}
		if !errors.Is(locked, errInUse) && last == nil && os.SameFile(here, there) {
			return &u, nil
		}
		u.discard()
	}
	return nil, last
}

// rename brings it to its place. It stays locked until it is there, where the system
// renames what is open.
func (u *unfinished) rename(path string) error {
	if runtime.GOOS == "windows" {
		_ = u.file.Close()
	}
	if err := os.Rename(u.path, path); err != nil {
		return err
	}
	return ignoreClosed(u.file.Close())
}

// discard removes it, unless it was renamed.
func (u *unfinished) discard() {
	if runtime.GOOS == "windows" {
		_ = u.file.Close()
	}
	_ = os.RemoveAll(u.path)
	_ = u.file.Close()
}

func ignoreClosed(err error) error {
	if errors.Is(err, fs.ErrClosed) {
		return nil
	}
	return err
}

// oldAge is when what cannot be locked counts as left behind.
const oldAge = time.Hour

// waitForLock waits for another that has the lock, which it needs for a moment only; one
// that was stopped there, or a disk without locks, keeps nobody.
func waitForLock(file *os.File) {
	for range 200 {
		if !errors.Is(lock(file), errInUse) {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// Alone does something while others that replace what is in a folder wait, for a while.
func Alone(dir string, do func() error) error {
	folder, err := os.Open(dir)
	if err != nil {
		return reason(err)
	}
	defer folder.Close()
	waitForLock(folder)
	return do()
}

// RemoveFolder removes a folder at once: nobody sees a part of it. What a killed process left of
// that, [RemoveLeftovers] removes.
func RemoveFolder(dir string) error {
	dir = filepath.Clean(dir)
	parent, name := filepath.Dir(dir), filepath.Base(dir)
	if err := os.Rename(dir, aside(parent, name)); err != nil {
		return reason(err)
	}
	removeLeftovers(parent, name)
	return nil
}

// RemoveLeftovers removes what killed processes left of files and folders with names that
// are not written again, if one of these is what the function wants.
func RemoveLeftovers(dir string, wanted func(name string) bool) {
	entries, _ := os.ReadDir(dir) // writing will tell
	for _, entry := range entries {
		if i := strings.LastIndex(entry.Name(), mark); i > 0 && wanted(entry.Name()[1:i]) {
			removeLeftovers(dir, entry.Name()[1:i])
		}
	}
}

// aside is an unfinished name.
func aside(dir, name string) string {
	return filepath.Join(dir, "."+name+mark+strconv.FormatUint(rand.Uint64(), 36))
}

// removeLeftovers removes what killed processes left of the named files and folders.
func removeLeftovers(dir string, names ...string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return // writing will tell
	}
	for _, entry := range entries {
		i := strings.LastIndex(entry.Name(), mark)
		if i < 1 || entry.Name()[0] != '.' || !slices.Contains(names, entry.Name()[1:i]) {
			continue
		}
		if entry.Type().IsRegular() || entry.IsDir() { // opening a pipe would wait
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
		_ = file.Close() // some systems remove nothing that is open
	}
	_ = os.RemoveAll(path) // what cannot be removed harms nobody
}

// flush is changed by a test.
var flush = (*os.File).Sync

// toDisk waits until a file or folder is on the disk, where there is such a thing.
func toDisk(file *os.File) error {
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

// errInUse says that another has the lock.
var errInUse = errors.New("in use")
