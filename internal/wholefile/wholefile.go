// Package wholefile writes files whole or not at all: beside their place, and
// renamed into it. Nobody sees half a file, and a full disk leaves an older one.
package wholefile

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// File is a file to be.
type File struct {
	Name    string
	Content []byte
}

// Write writes one file. Its folder must exist.
func Write(path string, content []byte) error {
	return WriteAll(filepath.Dir(path), []File{{Name: filepath.Base(path), Content: content}})
}

// Create writes one file that is too large to have all of it in memory: whatever
// the function writes. Its folder must exist.
func Create(path string, write func(w io.Writer) error) error {
	temporary, err := writeTemporary(filepath.Dir(path), filepath.Base(path), write)
	if err != nil {
		return reason(err)
	}
	if err := os.Rename(temporary, path); err != nil {
		return errors.Join(reason(err), os.Remove(temporary))
	}
	return nil
}

// WriteAll writes files into a folder, the last of them being the one that
// tells readers that the others are there. When there is no room for all of
// them, or no permission, the older files stay; while they are replaced the
// last is missing, so no reader takes a mixture of old and new for whole.
func WriteAll(dir string, files []File) error {
	temporary := make([]string, len(files))
	for i, file := range files {
		path, err := writeTemporary(dir, file.Name, func(w io.Writer) error {
			_, err := w.Write(file.Content)
			return err
		})
		if err != nil {
			return reason(err)
		}
		defer os.Remove(path) // gone already when all went well
		temporary[i] = path
	}
	if len(files) > 1 {
		last := filepath.Join(dir, files[len(files)-1].Name)
		if err := os.Remove(last); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return reason(err)
		}
	}
	for i, file := range files {
		if err := os.Rename(temporary[i], filepath.Join(dir, file.Name)); err != nil {
			return reason(err)
		}
	}
	return nil
}

func writeTemporary(dir, name string, write func(w io.Writer) error) (path string, err error) {
	temporary, err := os.CreateTemp(dir, name+".*")
	if err != nil {
		return "", err
	}
	err = write(temporary)
	if err := errors.Join(err, temporary.Chmod(0o644), temporary.Close()); err != nil {
		return "", errors.Join(err, os.Remove(temporary.Name()))
	}
	return temporary.Name(), nil
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
