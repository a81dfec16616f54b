// Package inputfile opens regular files, also through symbolic links. Opening a named pipe may
// block forever, and a device may have no end.
package inputfile

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// ErrNotRegular means that a path exists but is no regular file.
var ErrNotRegular = errors.New("not a file")

// notExist is an error about something that does not exist.
type notExist string

func (e notExist) Error() string { return string(e) }

// Unwrap returns [fs.ErrNotExist].
func (e notExist) Unwrap() error { return fs.ErrNotExist }

// NotExist returns an error with a text that is [fs.ErrNotExist] without saying so.
func NotExist(format string, arguments ...any) error {
	return notExist(fmt.Sprintf(format, arguments...))
}

// kinds are the names of other file types.
var kinds = []struct {
	mode fs.FileMode
	name string
}{
	{fs.ModeDir, "folder"}, {fs.ModeNamedPipe, "named pipe"}, {fs.ModeSocket, "socket"},
	{fs.ModeDevice, "device"},
}

// Open opens a file for reading.
func Open(path string) (*os.File, error) {
	info, err := os.Stat(path)
	if err != nil || info.Mode().IsRegular() {
		return os.Open(path)
	}
	kind := "thing that cannot be read"
	for _, k := range kinds {
		if info.Mode()&k.mode != 0 {
			kind = k.name
			break
		}
	}
	return nil, fmt.Errorf("%s is a %s, %w: copy its content to a file and name that",
		path, kind, ErrNotRegular)
}

// Read reads a file.
func Read(path string) ([]byte, error) {
	file, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var space []byte
	if info, err := file.Stat(); err == nil { // allocate once, without the zeros of Buffer.Grow
		space = make([]byte, 0, int(min(info.Size(), maxLimit))+bytes.MinRead)
	}
	content := bytes.NewBuffer(space)
	_, err = content.ReadFrom(file)
	return content.Bytes(), err
}

// A compressed file may unpack to maxRatio times its size. The limit is at least minLimit and at
// most maxLimit. Triples compress to about a tenth, N-Triples to a thirtieth, and a repeated byte,
// the densest input of gzip, to a thousandth.
const (
	maxLimit = 16 << 30
	minLimit = 16 << 20
	maxRatio = 100
)

// MaxDecompressed returns the limit on the decompressed size of a file, given its compressed size.
func MaxDecompressed(compressed int64) int64 {
	return min(maxLimit, max(minLimit, maxRatio*min(compressed, maxLimit)))
}

// OpenDecompressed opens a file for reading, and decompresses it if its name ends with .gz.
func OpenDecompressed(path string) (io.ReadCloser, error) {
	file, err := Open(path)
	if err != nil {
		return nil, err
	}
	return decompress(file, path)
}

// OpenDecompressedFS works like [OpenDecompressed] in a file system.
func OpenDecompressedFS(fsys fs.FS, name string) (io.ReadCloser, error) {
	if info, err := fs.Stat(fsys, name); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is %w", name, ErrNotRegular)
	}
	file, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	return decompress(file, name)
}

// decompress returns a file, or its decompressed content if its path ends with .gz.
func decompress(file fs.File, path string) (io.ReadCloser, error) {
	if filepath.Ext(path) != ".gz" {
		return file, nil
	}
	info, err := file.Stat()
	if err != nil {
		file.Close()
		return nil, err
	}
	unpacked, err := gzip.NewReader(file)
	if err != nil {
		file.Close()
		return nil, fmt.Errorf("%s: not a gzip file: %w", path, err)
	}
	return struct {
		io.Reader
		io.Closer
	}{Limit(unpacked, MaxDecompressed(info.Size())), file}, nil
}

// Limit returns a reader that fails after more than limit bytes, which MaxDecompressed returned.
func Limit(unpacked io.Reader, limit int64) io.Reader {
	return &limited{unpacked, limit, limit}
}

type limited struct {
	unpacked         io.Reader
	limit, remaining int64
}

func (l *limited) Read(b []byte) (int, error) {
	n, err := l.unpacked.Read(b)
	if l.remaining -= int64(n); l.remaining < 0 {
		return 0, fmt.Errorf("it unpacks to more than %d bytes, the limit for its size (%d times that,"+
			" at least %d and at most %d bytes): if it is sound, unpack it and name the unpacked file",
			l.limit, maxRatio, minLimit, int64(maxLimit))
	}
	return n, err
}
