package datasets

import (
	"fmt"
	"io"
)

// VisitFile hands the lines of a text file to visit, for readers of formats that
// lie beside a graph. The file is dir/name or dir/name.gz, or the error is
// [fs.ErrNotExist]. Lines come without their ends, a byte-order mark and empty
// lines at the end are skipped, and an error of visit is told with the path and
// the number of its line. A line is valid until visit returns.
func VisitFile(dir, name string, visit func(line []byte) error) error {
	text, closeFile, err := openText(dir, name)
	if err != nil {
		return err
	}
	defer closeFile()
	return text.visit(visit)
}

// VisitLines is [VisitFile] for a text that path names in errors.
func VisitLines(path string, source io.Reader, visit func(line []byte) error) error {
	text := &textFile{path: path, source: source}
	return text.visit(visit)
}

func (t *textFile) visit(visit func(line []byte) error) error {
	for line := range t.lines() {
		if err := visit(line); err != nil {
			return fmt.Errorf("%s:%d: %w", t.path, t.number, err)
		}
	}
	return t.err
}
