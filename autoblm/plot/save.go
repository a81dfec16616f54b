package plot

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/autoblm/autoblm-go/internal/outfile"
)

// Save writes the picture to a file whose extension, .png or .svg, says the
// format. The file appears whole or not at all, and replaces an older picture of the format,
// and nothing else. It
// is an error when the extension is another one, the picture is empty, or the
// folder is missing or cannot be written to.
func (p Picture) Save(path string) error {
	var encode func() ([]byte, error)
	var kind outfile.Kind
	switch extension := strings.ToLower(filepath.Ext(path)); extension {
	case ".png":
		encode, kind = p.PNG, outfile.PNG
	case ".svg":
		encode, kind = p.SVG, outfile.SVG
	default:
		return fmt.Errorf("save picture %s: the extension is %q; it must be .png or .svg", path, extension)
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
