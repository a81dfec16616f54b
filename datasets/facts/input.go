package facts

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"

	"github.com/autoblm/autoblm-go/internal/inputfile"
	"github.com/klauspost/compress/zstd"
)

// Stdin is the path of the standard input.
const Stdin = "-"

const (
	bufferSize    = 1 << 16 // also of the beginning from which the form of a file is guessed
	byteOrderMark = "\uFEFF"
)

// input is an open source, unpacked.
type input struct {
	path string // as shown in errors
	*bufio.Reader
	file   *os.File
	close  func()
	packed bool
}

// open opens a file, a pipe or the standard input, and unpacks what is packed.
func open(path string) (*input, error) {
	in := &input{path: path, close: func() {}}
	var err error
	if path == Stdin {
		in.path, in.file = "standard input", os.Stdin
	} else if in.file, err = openFile(path); err != nil {
		return nil, err
	}
	in.Reader = bufio.NewReaderSize(in.file, bufferSize)
	if err := in.unpack(); err != nil {
		in.Close()
		return nil, err
	}
	return in, nil
}

// openFile opens a file or a pipe. Opening a named pipe waits for its writer.
func openFile(path string) (*os.File, error) {
	if info, err := os.Stat(path); err == nil && info.Mode()&fs.ModeNamedPipe != 0 {
		return os.Open(path)
	}
	return inputfile.Open(path)
}

// Close closes the file.
func (in *input) Close() {
	in.close()
	if in.file != os.Stdin {
		in.file.Close()
	}
}

// unpack unpacks gzip and zstd, up to the limit of package inputfile.
func (in *input) unpack() error {
	magic, _ := in.Peek(4) // Read reports errors
	limit := int64(math.MaxInt64)
	if info, err := in.file.Stat(); err == nil && info.Mode().IsRegular() {
		limit = info.Size()
	}
	limit = inputfile.MaxDecompressed(limit)
	var unpacked io.Reader
	switch {
	case bytes.HasPrefix(magic, []byte{0x1f, 0x8b}):
		r, err := gzip.NewReader(in.Reader)
		if err != nil {
			return fmt.Errorf("%s: not a gzip file: %w", in.path, err)
		}
		unpacked = r
	case bytes.HasPrefix(magic, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		r, err := zstd.NewReader(in.Reader, zstd.WithDecoderConcurrency(1))
		if err != nil {
			return fmt.Errorf("%s: not a zstd file: %w", in.path, err)
		}
		in.close, unpacked = r.Close, r
	default:
		return nil
	}
	in.packed = true
	in.Reader = bufio.NewReaderSize(inputfile.Limit(unpacked, limit), bufferSize)
	return nil
}

// peek returns the beginning of the content without a byte-order mark: whole lines, except possibly
// one that is longer than the buffer.
func (in *input) peek() ([]byte, error) {
	start, err := in.Peek(bufferSize)
	switch end := bytes.LastIndexByte(start, '\n') + 1; {
	case errors.Is(err, io.EOF):
		err = nil
	case end > 0:
		start = start[:end]
	}
	return bytes.TrimPrefix(start, []byte(byteOrderMark)), err
}

// skipMark skips a byte-order mark.
func (in *input) skipMark() {
	if start, _ := in.Peek(len(byteOrderMark)); string(start) == byteOrderMark { // Read reports errors
		_, _ = in.Discard(len(byteOrderMark))
	}
}
