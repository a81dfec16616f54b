// Package textfile reads text files line by line, plain or with .gz. Errors name the file and the
// line.
package textfile

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"

	"github.com/autoblm/autoblm-go/internal/inputfile"
)

// File is a text file. Read its lines once.
type File struct {
	Path   string // as shown in errors
	Source io.ReadCloser
	Line   int   // number of the line last read, from 1
	Err    error // the error that ended the lines
}

// Open opens a file and unpacks it if its name ends with .gz.
func Open(path string) (*File, error) {
	source, err := inputfile.OpenDecompressed(path)
	return &File{Path: path, Source: source}, err
}

// OpenFS opens a file of a file system like [Open]. Errors name the path.
func OpenFS(fsys fs.FS, name, path string) (*File, error) {
	source, err := inputfile.OpenDecompressedFS(fsys, name)
	return &File{Path: path, Source: source}, err
}

// Lines yields the lines without their ends and without a byte-order mark at the start. It closes
// the file at the end. Lines of more than longest bytes are an error, so that a binary file fails
// early. A line is valid until the next one is read.
func (f *File) Lines(longest int) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		defer f.Source.Close()
		source := &observed{Reader: f.Source}
		scanner := bufio.NewScanner(source)
		scanner.Split(source.wholeLines)
		scanner.Buffer(nil, longest)
		for scanner.Scan() {
			line := scanner.Bytes()
			if f.Line++; f.Line == 1 {
				line = bytes.TrimPrefix(line, []byte("\uFEFF"))
			}
			if !yield(line) {
				return
			}
		}
		switch err := scanner.Err(); {
		case errors.Is(err, bufio.ErrTooLong):
			f.Line++
			f.Err = f.Errorf("the line is longer than %d bytes; is this a text file?", longest)
		case err != nil:
			f.Err = fmt.Errorf("%s: cannot be read after line %d: %w", f.Path, f.Line, err)
		}
	}
}

// observed is a reader that knows whether it has failed.
type observed struct {
	io.Reader
	failed bool
}

func (o *observed) Read(b []byte) (int, error) {
	n, err := o.Reader.Read(b)
	o.failed = err != nil && !errors.Is(err, io.EOF)
	return n, err
}

// wholeLines splits like [bufio.ScanLines], but leaves out the part of a line before a failure, which
// would seem to be malformed.
func (o *observed) wholeLines(data []byte, atEnd bool) (advance int, line []byte, err error) {
	if atEnd && o.failed && bytes.IndexByte(data, '\n') < 0 {
		return 0, nil, nil
	}
	return bufio.ScanLines(data, atEnd)
}

// Errorf returns an error that begins with the file and the current line.
func (f *File) Errorf(format string, args ...any) error {
	return fmt.Errorf("%s:%d: %w", f.Path, f.Line, fmt.Errorf(format, args...))
}
