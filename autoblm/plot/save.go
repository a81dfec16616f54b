package plot

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Save writes the picture to a file whose extension, .png or .svg, says the
// format. The file appears whole or not at all, and replaces an older one. It
// is an error when the extension is another one, the picture is empty, or the
// folder is missing or cannot be written to.
func (p Picture) Save(path string) error {
	var encode func() ([]byte, error)
	switch extension := strings.ToLower(filepath.Ext(path)); extension {
	case ".png":
		encode = p.PNG
	case ".svg":
		encode = p.SVG
	default:
		return fmt.Errorf("save picture %s: the extension is %q; it must be .png or .svg", path, extension)
	}
	content, err := encode()
	if err == nil {
		err = writeWhole(path, content)
	}
	if err != nil {
		return fmt.Errorf("save picture %s: %w", path, err)
	}
	return nil
}

// writeWhole writes beside the file and renames, so that nobody ever sees half
// a picture and a full disk leaves the older one in place.
func writeWhole(path string, content []byte) (err error) {
	temporary, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*")
	if errors.Is(err, fs.ErrNotExist) {
		return errors.New("the folder does not exist; create it first")
	}
	if err != nil {
		return withoutPath(err)
	}
	defer func() {
		if err != nil {
			temporary.Close()
			os.Remove(temporary.Name())
			err = withoutPath(err)
		}
	}()
	if _, err = temporary.Write(content); err != nil {
		return err
	}
	if err = temporary.Chmod(0o644); err != nil {
		return err
	}
	if err = temporary.Close(); err != nil {
		return err
	}
	return os.Rename(temporary.Name(), path)
}

// withoutPath strips the name of the temporary file, of which the user knows
// nothing.
func withoutPath(err error) error {
	var atPath *fs.PathError
	if errors.As(err, &atPath) {
		return atPath.Err
	}
	var atLink *os.LinkError
	if errors.As(err, &atLink) {
		return atLink.Err
	}
	return err
}
