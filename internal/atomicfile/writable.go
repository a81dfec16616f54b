package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// CheckWritable returns an error if [Write] cannot write a file there. It changes no existing file.
func CheckWritable(path string) error {
	path = resolveLink(path)
	removeLeftovers(filepath.Dir(path), filepath.Base(path))
	t, err := newFile(filepath.Dir(path), File{Name: filepath.Base(path)})
	if err != nil {
		return withoutPath(err)
	}
	t.discard()
	return nil
}

// Rename renames a file within its folder and flushes the folder.
func Rename(from, to string) error {
	if err := os.Rename(from, to); err != nil {
		return err
	}
	folder, err := os.Open(filepath.Dir(to))
	if err != nil {
		return err
	}
	defer folder.Close()
	return syncFile(folder)
}

// Remove removes a file, if it exists, and leftovers of killed processes.
func Remove(path string) error {
	removeLeftovers(filepath.Dir(path), filepath.Base(path))
	if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
