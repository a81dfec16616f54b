package outfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/autoblm/autoblm-go/internal/atomicfile"
)

// MakeFolder creates a folder if needed, and returns an error if it is not writable.
func MakeFolder(dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return cannotMake(dir, err)
	}
	if err := atomicfile.CheckWritable(filepath.Join(dir, "file")); err != nil {
		return fmt.Errorf("cannot write into the folder %s: %w", dir, err)
	}
	return nil
}

// NewFolder creates a new folder of this name, or with the next free suffix -2, -3 and so on.
// Concurrent calls get different folders.
func NewFolder(dir string) (made string, err error) {
	if err := os.MkdirAll(filepath.Dir(dir), 0o777); err != nil {
		return "", cannotMake(dir, err)
	}
	made = dir
	for n := 2; ; n++ {
		err := os.Mkdir(made, 0o777)
		if err == nil {
			return made, nil
		}
		if !errors.Is(err, fs.ErrExist) {
			return "", cannotMake(made, err)
		}
		made = fmt.Sprintf("%s-%d", dir, n)
	}
}

func cannotMake(dir string, err error) error {
	if at, is := errors.AsType[*fs.PathError](err); is {
		if dangling := checkLink(dir, at.Path); dangling != nil {
			return dangling
		}
		err = at.Err
	}
	return fmt.Errorf("cannot make the folder %s: %w", dir, err)
}

// checkLink returns an error if a path is a link to something that is missing.
func checkLink(dir, path string) error {
	target, err := os.Readlink(path)
	if err != nil {
		return nil
	}
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return fmt.Errorf("cannot make the folder %s: %s is a link to the missing folder %s; "+
		"make that folder, or remove the link", dir, path, target)
}

// CheckFolder returns an error if a folder cannot be created or written to. It creates nothing.
func CheckFolder(dir string) error {
	above := filepath.Clean(dir)
	for {
		info, err := os.Stat(above)
		if err == nil && !info.IsDir() {
			return fmt.Errorf("cannot make the folder %s: %s is a file", dir, above)
		}
		if err == nil || above == filepath.Dir(above) {
			break
		}
		if err := checkLink(dir, above); err != nil {
			return err
		}
		above = filepath.Dir(above)
	}
	if err := atomicfile.CheckWritable(filepath.Join(above, "file")); err != nil {
		return fmt.Errorf("cannot write into the folder %s: %w", above, err)
	}
	return nil
}
