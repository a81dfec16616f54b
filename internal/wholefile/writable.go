package wholefile

import (
	"io"
	"os"
	"path/filepath"
)

// Writable tells, before there is something to write, whether [Write] can do so there. It
// leaves what is there as it is.
func Writable(path string) error {
	temporary, err := writeTemporary(filepath.Dir(path), filepath.Base(path), func(io.Writer) error { return nil })
	if err == nil {
		err = os.Remove(temporary)
	}
	if err != nil {
		return reason(err)
	}
	return nil
}
