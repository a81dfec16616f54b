package outfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/autoblm/autoblm-go/internal/wholefile"
)

// Folder makes a folder for what is to be written, if it is not there, and says whether files
// can be written into it.
func Folder(dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		if at := new(fs.PathError); errors.As(err, &at) {
			err = at.Err
		}
		return fmt.Errorf("cannot make the folder %s: %w", dir, err)
	}
	if err := wholefile.Writable(filepath.Join(dir, "file")); err != nil {
		return fmt.Errorf("cannot write into the folder %s: %w", dir, err)
	}
	return nil
}
