package rdf

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"

	"github.com/autoblm/autoblm-go/internal/inputfile"
)

// maxLine limits the length of a line, so that a binary file fails early. Literals may be
// long.
const maxLine = 1 << 24

// textFile reads a file line by line and counts the lines.
type textFile struct {
	path   string
	number int // of the line last read, from 1
	source io.ReadCloser
	err    error
}

// openText opens a file, plain or .gz.
func openText(path string) (*textFile, error) {
	file, err := inputfile.OpenDecompressed(path)
	if err != nil {
		return nil, err
	}
	return &textFile{path: path, source: file}, nil
}

func (t *textFile) close() { t.source.Close() }

// lines yields the lines without their ends and without a byte-order mark. It
// stops at the first error and stores it in t.err.
func (t *textFile) lines() iter.Seq[string] {
	return func(yield func(string) bool) {
		scanner := bufio.NewScanner(t.source)
		scanner.Buffer(nil, maxLine)
		for scanner.Scan() {
			t.number++
			line := scanner.Text()
			if t.number == 1 {
				line = strings.TrimPrefix(line, "\uFEFF")
			}
			if !yield(line) {
				return
			}
		}
		switch err := scanner.Err(); {
		case errors.Is(err, bufio.ErrTooLong):
			t.number++
			t.err = t.errorf("the line is longer than %d bytes; is this a text file?", maxLine)
		case err != nil:
			t.err = fmt.Errorf("%s: cannot be read after line %d: %w", t.path, t.number, err)
		}
	}
}

// errorf returns an error that begins with the file and the current line.
func (t *textFile) errorf(format string, arguments ...any) error {
	return fmt.Errorf("%s:%d: %w", t.path, t.number, fmt.Errorf(format, arguments...))
}
