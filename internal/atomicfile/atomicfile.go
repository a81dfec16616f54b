// Package atomicfile writes files and folders atomically: to a temporary name, flushed to disk,
// then renamed. Readers never see a partial file, an error leaves the old file, and a completed
// write survives a power failure. A file keeps the permissions of the file that it replaces.
//
// Temporary names are .NAME.autoblm-RANDOM. Writing NAME again removes what a killed process left.
// A file lock distinguishes leftovers from files that a running process writes.
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

// File is a file to write.
type File struct {
	Name    string
	Content []byte
	// Write writes the content in place of Content, if it is too large for memory.
	Write func(w io.Writer) error
}

// WriteContent writes the content of the file.
func (f File) WriteContent(to io.Writer) error {
	if f.Write == nil {
		_, err := to.Write(f.Content)
		return err
	}
	buffered := bufio.NewWriterSize(to, 1<<16)
	if err := f.Write(buffered); err != nil {
		return err
	}
	return buffered.Flush()
}

// Write writes one file. Its folder must exist.
func Write(path string, content []byte) error {
	return writeOne(path, File{Content: content})
}

// Create writes one file with a function, for contents too large for memory. Its folder must exist.
func Create(path string, write func(w io.Writer) error) error {
	return writeOne(path, File{Write: write})
}

func writeOne(path string, file File) error {
	path = resolveLink(path)
	file.Name = filepath.Base(path)
	return WriteAll(filepath.Dir(path), []File{file})
}

// resolveLink returns the target of a symbolic link, so that the link stays one.
func resolveLink(path string) string {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		return target
	}
	return path
}

// WriteAll writes files into a folder. The last file tells readers that the others are complete.
// Without room or permission the old files stay. While files are replaced the last one is missing,
// so no reader accepts old and new files together.
func WriteAll(dir string, files []File) error {
	return writeAll(dir, files, true)
}

// writeAll locks the folder and flushes it, if it is visible to other processes.
func writeAll(dir string, files []File, visible bool) (err error) {
	defer func() { err = withoutPath(err) }()
	names := make([]string, len(files))
	for i, file := range files {
		names[i] = file.Name
	}
	removeLeftovers(dir, names...)
	all := make([]*temporary, len(files))
	for i, file := range files {
		if all[i], err = newFile(dir, file); err != nil {
			return err
		}
		defer all[i].discard() // does nothing after a rename
	}
	var flushing errgroup.Group // in parallel, because disks combine flushes
	for _, t := range all {
		flushing.Go(func() error { return syncFile(t.file) })
	}
	if err := flushing.Wait(); err != nil {
		return err
	}
	flushed := func() error { return nil }
	last := len(files) - 1
	if visible {
		folder, err := os.Open(dir)
		if err != nil {
			return err
		}
		defer folder.Close()
		flushed = func() error { return syncFile(folder) }
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
		if err := all[i].rename(filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	return flushed()
}

// newFile writes a temporary file without flushing it.
func newFile(dir string, file File) (*temporary, error) {
	permissions, replaced := fs.FileMode(0o666), false
	switch info, err := os.Stat(filepath.Join(dir, file.Name)); {
	case err == nil && !info.Mode().IsRegular():
		return nil, errNotReplaceable
	case err == nil:
		permissions, replaced = info.Mode().Perm(), true
	}
	t, err := newTemporary(dir, file.Name, func(path string) (*os.File, error) {
		return os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, permissions)
	})
	if err != nil {
		return nil, err
	}
	if replaced {
		err = t.file.Chmod(permissions)
	}
	if err == nil {
		err = file.WriteContent(t.file)
	}
	if err != nil {
		t.discard()
		return nil, err
	}
	return t, nil
}

var errNotReplaceable = errors.New(
	"a folder or a device with this name exists and is not replaced: name another file")

// WriteFolder writes files into a folder. A new folder appears with all files at once. In an
// existing folder it replaces files like [WriteAll].
func WriteFolder(dir string, files []File) error {
	if _, err := os.Stat(dir); err == nil {
		return WriteAll(dir, files)
	}
	err := Folder(dir, func(temporary string) error {
		return writeAll(temporary, files, false)
	})
	if errors.Is(err, fs.ErrExist) { // another process created it
		return WriteAll(dir, files)
	}
	return err
}

// Folder creates a folder that appears with all its content at once. fill writes the content into a
// temporary folder and must flush it. If the folder exists the error is [fs.ErrExist].
func Folder(dir string, fill func(temporary string) error) error {
	dir = filepath.Clean(dir)
	parent, name := filepath.Dir(dir), filepath.Base(dir)
	if err := os.MkdirAll(parent, 0o777); err != nil {
		return withoutPath(err)
	}
	removeLeftovers(parent, name)
	t, err := newTemporary(parent, name, func(path string) (*os.File, error) {
		if err := os.Mkdir(path, 0o777); err != nil {
			return nil, err
		}
		return os.Open(path)
	})
	if err != nil {
		return withoutPath(err)
	}
	defer t.discard()
	if err := fill(t.path); err != nil {
		return err
	}
	err = syncFile(t.file)
	if err == nil {
		err = t.rename(dir)
	}
	var above *os.File
	if err == nil {
		above, err = os.Open(parent)
	}
	if err != nil {
		return withoutPath(err)
	}
	defer above.Close()
	return withoutPath(syncFile(above))
}

// withoutPath removes the temporary name from an error, because users do not know it.
func withoutPath(err error) error {
	if at, is := errors.AsType[*fs.PathError](err); is {
		return at.Err
	}
	if at, is := errors.AsType[*os.LinkError](err); is {
		return at.Err
	}
	return err
}
