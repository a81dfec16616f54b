package completion

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

type namedContent struct {
	name    string
	content []byte
}

// replaceFiles writes files into a folder, the last of them being the one that
// tells readers that the others are there. When there is no room for all of
// them, or no permission, the older files stay; while they are replaced the
// last is missing, so no reader takes a mixture of old and new for whole.
func replaceFiles(dir string, files []namedContent) error {
	temporary := make([]string, len(files))
	for i, file := range files {
		path, err := writeTemporary(dir, file)
		if err != nil {
			return err
		}
		defer os.Remove(path) // gone already when all went well
		temporary[i] = path
	}
	last := filepath.Join(dir, files[len(files)-1].name)
	if err := os.Remove(last); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for i, file := range files {
		if err := os.Rename(temporary[i], filepath.Join(dir, file.name)); err != nil {
			return err
		}
	}
	return nil
}

func writeTemporary(dir string, file namedContent) (path string, err error) {
	temporary, err := os.CreateTemp(dir, file.name+".*")
	if err != nil {
		return "", err
	}
	_, err = temporary.Write(file.content)
	if err := errors.Join(err, temporary.Chmod(0o644), temporary.Close()); err != nil {
		return "", errors.Join(err, os.Remove(temporary.Name()))
	}
	return temporary.Name(), nil
}
