// Package atomicfile writes files, and folders of them, whole or not at all: beside
// their place, onto the disk, and renamed. Nobody sees half a file, a full disk
// leaves an older one, and what was written survives a loss of power. Files get the
// permissions of those that they replace, and new ones what the umask leaves.
//
// What is not renamed yet is called .NAME.autoblm-RANDOM. What a killed process left
// of that is removed when NAME is written again; the lock of the operating system
// tells it from what a living one writes.
package atomicfile

import (
	"bufio"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sync/errgroup"
)

// File is a file to be.
type File struct {
	Name    string
	Content []byte
	// Write writes what is too large to have all of it in memory, in place of Content.
	Write func(w io.Writer) error
}

func (f File) writeTo(file *os.File) error {
	if f.Write == nil {
		_, err := file.Write(f.Content)
		return err
	}
	buffered := bufio.NewWriterSize(file, 1<<16)
	if err := f.Write(buffered); err != nil {
		return err
	}
	return buffered.Flush()
}

// Write writes one file. Its folder must exist.
func Write(path string, content []byte) error {
	return writeOne(path, File{Content: content})
}

// Create writes one file that is too large to have all of it in memory: whatever
// the function writes. Its folder must exist.
func Create(path string, write func(w io.Writer) error) error {
	return writeOne(path, File{Write: write})
}

func writeOne(path string, file File) error {
	path = linked(path)
	file.Name = filepath.Base(path)
	return WriteAll(filepath.Dir(path), []File{file})
}

// linked is the file itself where the path is a link to one, which stays one.
func linked(path string) string {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		return target
	}
	return path
}

// WriteAll writes files into a folder, the last of them being the one that
// tells readers that the others are there. When there is no room for all of
// them, or no permission, the older files stay; while they are replaced the
// last is missing, so no reader takes a mixture of old and new for whole.
func WriteAll(dir string, files []File) error {
	return writeAll(dir, files, true)
}

// writeAll takes turns with others that replace files of the same folder, and brings its
// names onto the disk, unless the folder is one that nobody knows yet.
func writeAll(dir string, files []File, known bool) (err error) {
	defer func() { err = reason(err) }()
	names := make([]string, len(files))
	for i, file := range files {
		names[i] = file.Name
	}
	removeLeftovers(dir, names...)
	temporary := make([]*unfinished, len(files))
	for i, file := range files {
		if temporary[i], err = newFile(dir, file); err != nil {
			return err
		}
		defer temporary[i].discard() // gone already when all went well
	}
	var flushing errgroup.Group // at once, since a disk does that together
	for _, u := range temporary {
		flushing.Go(func() error { return toDisk(u.file) })
	}
	if err := flushing.Wait(); err != nil {
		return err
	}
	flushed := func() error { return nil }
	last := len(files) - 1
	if known {
		folder, err := os.Open(dir)
		if err != nil {
			return err
		}
		defer folder.Close()
		flushed = func() error { return toDisk(folder) }
		if last > 0 {
			waitForLock(folder)
		}
	}
	if last > 0 {
		err := os.Remove(filepath.Join(dir, names[last]))
		if err == nil {
			err = flushed()
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	for i, name := range names {
		if i == last && last > 0 {
			if err := flushed(); err != nil {
				return err
			}
		}
		if err := temporary[i].rename(filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	return flushed()
}

// newFile writes a file beside its place, not yet onto the disk.
func newFile(dir string, file File) (*unfinished, error) {
	permissions, replaced := fs.FileMode(0o666), false
	switch info, err := os.Stat(filepath.Join(dir, file.Name)); {
	case err == nil && !info.Mode().IsRegular():
		return nil, errInPlace
	case err == nil:
		permissions, replaced = info.Mode().Perm(), true
	}
	u, err := newUnfinished(dir, file.Name, func(path string) (*os.File, error) {
		return os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, permissions)
	})
	if err != nil {
		return nil, err
	}
	if replaced {
		err = u.file.Chmod(permissions)
	}
	if err == nil {
		err = file.writeTo(u.file)
	}
	if err != nil {
		u.discard()
		return nil, err
	}
	return u, nil
}

var errInPlace = errors.New("in its place is a folder or a device, which is not replaced: name another file")

// WriteFolder writes files into a folder, which is made if needed, as are those above
// it. A folder that was not there appears at once, with all of them; in one that was,
// they are replaced as by [WriteAll].
func WriteFolder(dir string, files []File) error {
	if _, err := os.Stat(dir); err == nil {
		return WriteAll(dir, files)
	}
	err := Folder(dir, func(aside string) error { return writeAll(aside, files, false) })
	if errors.Is(err, fs.ErrExist) { // another made it meanwhile
		return WriteAll(dir, files)
	}
	return err
}

// Folder makes a folder, and those above it if needed, which appears at once, with
// what fill puts into the folder that it is given. What fill writes it must bring
// onto the disk. Where the folder is there already the error is [fs.ErrExist].
func Folder(dir string, fill func(aside string) error) error {
	dir = filepath.Clean(dir)
	parent, name := filepath.Dir(dir), filepath.Base(dir)
	if err := os.MkdirAll(parent, 0o777); err != nil {
		return reason(err)
	}
	removeLeftovers(parent, name)
	u, err := newUnfinished(parent, name, func(path string) (*os.File, error) {
		if err := os.Mkdir(path, 0o777); err != nil {
			return nil, err
		}
		return os.Open(path)
	})
	if err != nil {
		return reason(err)
	}
	defer u.discard()
	if err := fill(u.path); err != nil {
		return err // as it is: it may say more than a reason
	}
	err = toDisk(u.file)
	if err == nil {
		err = u.rename(dir)
	}
	var above *os.File
	if err == nil {
		above, err = os.Open(parent)
	}
	if err != nil {
		return reason(err)
	}
	defer above.Close()
	return reason(toDisk(above))
}

// reason is the error without the name of the temporary file, of which the
// user knows nothing.
func reason(err error) error {
	var atPath *fs.PathError
	var atLink *os.LinkError
	switch {
	case errors.As(err, &atPath):
		return atPath.Err
	case errors.As(err, &atLink):
		return atLink.Err
	}
	return err
}
