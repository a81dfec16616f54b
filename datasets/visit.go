package datasets

import (
	"fmt"
	"io"
)

// VisitFile calls visit for each line of the text file dir/name or dir/name.gz; without
// them it returns [fs.ErrNotExist]. Lines have no ends. A byte-order mark and empty lines at
// the end are skipped. An error of visit is wrapped with the path and the line number.
// A line is valid until visit returns.
func VisitFile(dir, name string, visit func(line []byte) error) error {
	text, closeFile, err := openText(dir, name)
	if err != nil {
		return err
	}
	defer closeFile()
	return text.visit(visit)
}

// VisitLines does the same as [VisitFile] for an open text; path is for errors.
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
