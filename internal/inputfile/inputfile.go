// Package inputfile opens files of data: regular ones, also through symbolic links. Whoever
// opens a named pipe may wait for ever, and a device has no end.
package inputfile

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// ErrNotRegular marks what is there, but is no regular file.
var ErrNotRegular = errors.New("not a file")

// kinds are those of what is no regular file.
var kinds = []struct {
	mode fs.FileMode
	name string
}{{fs.ModeDir, "folder"}, {fs.ModeNamedPipe, "named pipe"}, {fs.ModeSocket, "socket"}, {fs.ModeDevice, "device"}}

// Open opens a file to read it.
func Open(path string) (*os.File, error) {
	info, err := os.Stat(path)
	if err != nil || info.Mode().IsRegular() {
		return os.Open(path) // whose error names the file
	}
	kind := "thing that cannot be read"
	for _, k := range kinds {
		if info.Mode()&k.mode != 0 {
			kind = k.name
			break
		}
	}
	return nil, fmt.Errorf("%s is a %s, %w: write what it holds into a file, and name that", path, kind, ErrNotRegular)
}

// Read is the content of a file.
func Read(path string) ([]byte, error) {
	file, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(file)
}

// What is packed may unpack to so many times its size, where that is more than the least,
// and to no more than the most. Triples pack to a tenth or so, N-Triples to a thirtieth; the
// densest that gzip makes, of one byte again and again, is a thousandth.
const (
	most  = 16 << 30
	least = 16 << 20
	times = 100
)

// MaxDecompressed is how many bytes may come out of so many that are packed.
func MaxDecompressed(packed int64) int64 { return min(most, max(least, times*min(packed, most))) }

// tooMuch is the error of what goes beyond a limit.
func tooMuch(limit int64) error {
	return fmt.Errorf("it unpacks to more than %d bytes, which is the limit for a file of its size (%d times that, but %d bytes at least and %d at most): if it is sound, unpack it and name what comes out", limit, times, least, int64(most))
}

// OpenDecompressed opens a file to read it, unpacked where it ends with .gz.
func OpenDecompressed(path string) (io.ReadCloser, error) {
	file, err := Open(path)
	if err != nil || filepath.Ext(path) != ".gz" {
		return file, err
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
	limit := MaxDecompressed(info.Size())
	return &packed{file, unpacked, limit, limit}, nil
}

// packed is a file with what it unpacks to.
type packed struct {
	io.Closer
	unpacked    io.Reader
	limit, left int64
}

func (p *packed) Read(b []byte) (int, error) {
	n, err := p.unpacked.Read(b)
	if p.left -= int64(n); p.left < 0 {
		return 0, tooMuch(p.limit)
	}
	return n, err
}
