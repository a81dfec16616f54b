package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Writable tells, before there is something to write, whether [Write] can do so there. It
// leaves what is there as it is.
func Writable(path string) error {
	path = linked(path)
	removeLeftovers(filepath.Dir(path), filepath.Base(path))
	u, err := newFile(filepath.Dir(path), File{Name: filepath.Base(path)})
	if err != nil {
		return reason(err)
	}
	u.discard()
	return nil
}

// Rename renames a file within its folder, also on the disk.
func Rename(from, to string) error {
	if err := os.Rename(from, to); err != nil {
		return err
	}
	folder, err := os.Open(filepath.Dir(to))
	if err != nil {
		return err
	}
	defer folder.Close()
	return toDisk(folder)
}

// Remove removes a file, if it is there, and what killed processes left of it.
func Remove(path string) error {
	removeLeftovers(filepath.Dir(path), filepath.Base(path))
	if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
