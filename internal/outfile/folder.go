package outfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/autoblm/autoblm-go/internal/atomicfile"
)

// MakeFolder makes a folder for what is to be written, if it is not there, and says whether files
// can be written into it.
func MakeFolder(dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return cannotMake(dir, err)
	}
	if err := atomicfile.Writable(filepath.Join(dir, "file")); err != nil {
		return fmt.Errorf("cannot write into the folder %s: %w", dir, err)
	}
	return nil
}

// NewFolder makes a folder that nobody has yet, of this name or of the next one that is
// free: with -2, -3 and so on after it. Those who ask for the same at once get two.
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
	if at := new(fs.PathError); errors.As(err, &at) {
		err = at.Err
	}
	return fmt.Errorf("cannot make the folder %s: %w", dir, err)
}

// CheckFolder says whether a folder can be made, and files be written into it, for what is to
// appear at once. It makes none.
func CheckFolder(dir string) error {
	above := filepath.Clean(dir)
	for {
		info, err := os.Stat(above)
		if err == nil && !info.IsDir() {
			return fmt.Errorf("cannot make the folder %s: %s is no folder", dir, above)
		}
		if err == nil || above == filepath.Dir(above) {
			break
		}
		above = filepath.Dir(above)
	}
	if err := atomicfile.Writable(filepath.Join(above, "file")); err != nil {
		return fmt.Errorf("cannot write into the folder %s: %w", above, err)
	}
	return nil
}
