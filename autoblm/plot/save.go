package plot

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/autoblm/autoblm-go/internal/outfile"
)

// Save writes the picture to a file in the format of its extension, .png or .svg. The write is
// atomic, and replaces only a picture of the same format. Another extension, an empty picture and
// a missing folder are errors.
func (p Picture) Save(path string) error {
	var encode func() ([]byte, error)
	var kind outfile.Kind
	switch extension := strings.ToLower(filepath.Ext(path)); extension {
	case ".png":
		encode, kind = p.PNG, outfile.PNG
	case ".svg":
		encode, kind = p.SVG, outfile.SVG
	default:
		return fmt.Errorf("save picture %s: the extension is %q; it must be .png or .svg",
			path, extension)
	}
	content, err := encode()
	if err != nil {
		return fmt.Errorf("save picture %s: %w", path, err)
	}
	err = outfile.Write(path, kind, content)
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%s: the folder does not exist; create it first", path)
	}
	if err != nil {
		return fmt.Errorf("save picture: %w", err)
	}
	return nil
}
