package datasets

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"iter"
	"path/filepath"
	"unicode/utf8"

	"github.com/autoblm/autoblm-go/internal/textfile"
)

// maxLine limits the length of a line.
const maxLine = 1 << 20

// linesOf yields the lines of a file. It skips empty lines. It stops with text.Err at a line that is
// not text, and otherwise ends with text.Err if there are empty lines in the middle of the file.
func linesOf(text *textfile.File) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		firstEmpty, empty, inMiddle := 0, 0, 0
		for line := range text.Lines(maxLine) {
			if len(line) == 0 {
				if empty++; empty == 1 {
					firstEmpty = text.Line
				}
				continue
			}
			inMiddle = empty
			if text.Err = checkText(text, line); text.Err != nil || !yield(line) {
				return
			}
		}
		if text.Err == nil && inMiddle > 0 {
			text.Line = firstEmpty
			text.Err = text.Errorf("empty line in the middle of the file; remove it%s", suchLines(inMiddle))
		}
	}
}

func checkText(text *textfile.File, line []byte) error {
	switch {
	case bytes.IndexByte(line, 0) >= 0:
		return text.Errorf("the line holds a NUL byte; save the file as UTF-8 text")
	case !utf8.Valid(line):
		return text.Errorf("the line is not valid UTF-8; save the file as UTF-8 text")
	case bytes.Contains(line, []byte("\uFEFF")):
		return text.Errorf("byte-order mark inside the file (were files joined?); remove it")
	case bytes.IndexByte(line, '\r') >= 0:
		return text.Errorf("carriage return inside the line; end lines with LF or CRLF")
	}
	return nil
}

// opener opens a text file by its name.
type opener func(name string) (*textfile.File, error)

// inFolder opens the files of a folder.
func inFolder(dir string) opener {
	return func(name string) (*textfile.File, error) {
		return textfile.Open(filepath.Join(dir, name))
	}
}

// first opens the first of the names that exists, each also with .gz. It returns fs.ErrNotExist
// when there is none.
func (open opener) first(names ...string) (*textfile.File, error) {
	for _, name := range names {
		for _, file := range []string{name, name + ".gz"} {
			if text, err := open(file); !errors.Is(err, fs.ErrNotExist) {
				return text, err
			}
		}
	}
	return nil, fs.ErrNotExist
}

// VisitFile calls visit for each line of the text file dir/name or dir/name.gz; without
// them it returns [fs.ErrNotExist]. Lines have no ends. A byte-order mark and empty lines at
// the end are skipped. An error of visit is wrapped with the path and the line number.
// A line is valid until visit returns.
func VisitFile(dir, name string, visit func(line []byte) error) error {
	text, err := inFolder(dir).first(name)
	if err != nil {
		return err
	}
	return visitLines(text, visit)
}

// VisitLines does the same as [VisitFile] for an open text; path is for errors.
func VisitLines(path string, source io.Reader, visit func(line []byte) error) error {
	return visitLines(&textfile.File{Path: path, Source: io.NopCloser(source)}, visit)
}

func visitLines(text *textfile.File, visit func(line []byte) error) error {
	for line := range linesOf(text) {
		if err := visit(line); err != nil {
			return text.Errorf("%w", err)
		}
	}
	return text.Err
}
