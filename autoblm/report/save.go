package report

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/autoblm/autoblm-go/internal/wholefile"
)

// Save writes the page to a file and the pictures as PNG and SVG into a folder
// beside it, for "report.html" the folder "report_files", and returns the
// pictures' paths. The page does not need them.
func Save(path string, d Data) (pictures []string, err error) {
	var content bytes.Buffer
	if err := Write(&content, d); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, fmt.Errorf("cannot make the folder of the report: %w", err)
	}
	if err := wholefile.Write(path, content.Bytes()); err != nil {
		return nil, fmt.Errorf("cannot write the report %s: %w", path, err)
	}
	return SavePictures(strings.TrimSuffix(path, filepath.Ext(path))+"_files", d)
}

// SavePictures writes [Pictures] as PNG and SVG into a folder, which is made if
// there is any, and returns their paths.
func SavePictures(folder string, d Data) (paths []string, err error) {
	for _, picture := range Pictures(d) {
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return nil, fmt.Errorf("cannot make the folder of the pictures: %w", err)
		}
		for _, extension := range []string{".png", ".svg"} {
			path := filepath.Join(folder, picture.Name+extension)
			if err := picture.Save(path); err != nil {
				return nil, err
			}
			paths = append(paths, path)
		}
	}
	return paths, nil
}
