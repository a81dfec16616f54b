package plot

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/autoblm/autoblm-go/internal/wholefile"
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
		err = wholefile.Write(path, content)
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = errors.New("the folder does not exist; create it first")
	}
	if err != nil {
		return fmt.Errorf("save picture %s: %w", path, err)
	}
	return nil
}
