package datasets

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"path/filepath"
	"unicode/utf8"

	"github.com/autoblm/autoblm-go/internal/inputfile"
)

// maxLine limits the length of a line, so that a binary file fails early and uses little
// memory.
const maxLine = 1 << 20

var byteOrderMark = []byte("\uFEFF")

// textFile reads a file line by line and counts the lines.
type textFile struct {
	path   string // as shown in errors
	number int    // of the line last read, from 1
	source io.ReadCloser
	err    error
}

// lines yields the lines without their ends. It skips a byte-order mark and empty lines at
// the end of the file. It stops at the first error and stores it in t.err. It closes the file
// in the end. A line is valid until the next one is read.
func (t *textFile) lines() iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		defer t.source.Close()
		reader := bufio.NewReaderSize(t.source, maxLine)
		firstEmpty := 0
		for {
			line, err := reader.ReadSlice('\n')
			if errors.Is(err, bufio.ErrBufferFull) {
				t.number++
				t.err = t.errorf("the line is longer than %d bytes; "+
					"is this a text file with one triple a line?", maxLine)
				return
			}
			if err != nil && !errors.Is(err, io.EOF) {
				t.err = fmt.Errorf("%s: cannot be read after line %d: %w", t.path, t.number, err)
				return
			}
			atEnd := err != nil
			if atEnd && len(line) == 0 {
				return
			}
			t.number++
			if t.number == 1 {
				line = bytes.TrimPrefix(line, byteOrderMark)
			}
			line = bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))
			switch {
			case len(line) == 0:
				if firstEmpty == 0 {
					firstEmpty = t.number
				}
			case firstEmpty != 0:
				t.number = firstEmpty
				t.err = t.errorf("empty line in the middle of the file; remove it")
				return
			default:
				if t.err = t.checkText(line); t.err != nil || !yield(line) {
					return
				}
			}
			if atEnd {
				return
			}
		}
	}
}

func (t *textFile) checkText(line []byte) error {
	switch {
	case bytes.IndexByte(line, 0) >= 0:
		return t.errorf("the line holds a NUL byte; save the file as UTF-8 text")
	case !utf8.Valid(line):
		return t.errorf("the line is not valid UTF-8; save the file as UTF-8 text")
	case bytes.Contains(line, byteOrderMark):
		return t.errorf("byte-order mark inside the file (were files joined?); remove it")
	case bytes.IndexByte(line, '\r') >= 0:
		return t.errorf("carriage return inside the line; end lines with LF or CRLF")
	}
	return nil
}

// errorf returns an error that begins with the file and the current line.
func (t *textFile) errorf(format string, args ...any) error {
	return fmt.Errorf("%s:%d: %s", t.path, t.number, fmt.Sprintf(format, args...))
}

// openText opens the first of the names that exists in the folder, each also
// with .gz. It returns fs.ErrNotExist when there is none.
func openText(dir string, names ...string) (*textFile, error) {
	for _, name := range names {
		for _, path := range []string{filepath.Join(dir, name), filepath.Join(dir, name+".gz")} {
			if text, err := openPath(path); !errors.Is(err, fs.ErrNotExist) {
				return text, err
			}
		}
	}
	return nil, fs.ErrNotExist
}

// openPath opens a file and unpacks it if its name ends with .gz.
func openPath(path string) (*textFile, error) {
	file, err := inputfile.OpenDecompressed(path)
	return &textFile{path: path, source: file}, err
}

// VisitFile calls visit for each line of the text file dir/name or dir/name.gz; without
// them it returns [fs.ErrNotExist]. Lines have no ends. A byte-order mark and empty lines at
// the end are skipped. An error of visit is wrapped with the path and the line number.
// A line is valid until visit returns.
func VisitFile(dir, name string, visit func(line []byte) error) error {
	text, err := openText(dir, name)
	if err != nil {
		return err
	}
	return text.visit(visit)
}

// VisitLines does the same as [VisitFile] for an open text; path is for errors.
func VisitLines(path string, source io.Reader, visit func(line []byte) error) error {
	text := &textFile{path: path, source: io.NopCloser(source)}
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
