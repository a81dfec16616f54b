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
	all := Pictures(d)
	if len(all) == 0 {
		return nil, nil
	}
	folder := strings.TrimSuffix(path, filepath.Ext(path)) + "_files"
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, fmt.Errorf("cannot make the folder of the pictures: %w", err)
	}
	for _, picture := range all {
		for _, extension := range []string{".png", ".svg"} {
			file := filepath.Join(folder, picture.Name+extension)
			if err := picture.Save(file); err != nil {
				return nil, err
			}
			pictures = append(pictures, file)
		}
	}
	return pictures, nil
}
