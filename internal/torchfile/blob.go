package torchfile

import (
	"bufio"
	"errors"
	"io"
	"sync"
)

// longest is the largest number of bytes of a string that is kept in memory.
var longest uint64 = 1 << 20

// blob is a longer string of a pickle, such as the numbers of an array. It stays in the file.
type blob struct {
	section *io.SectionReader
	isText  bool // in UTF-8; otherwise bytes
}

// latin1 reads the bytes that a text in UTF-8 stands for in Latin-1. Protocol 2 of pickles writes
// them so. It is fast if offsets ascend.
type latin1 struct {
	text *io.SectionReader

	mu sync.Mutex
	in *bufio.Reader
	at int64 // number of bytes read from in
}

// ReadAt implements [io.ReaderAt].
func (l *latin1) ReadAt(p []byte, offset int64) (n int, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.in == nil || offset < l.at {
		l.in = bufio.NewReaderSize(io.NewSectionReader(l.text, 0, l.text.Size()), 1<<16)
		l.at = 0
	}
	for ; l.at < offset; l.at++ {
		if _, err := l.next(); err != nil {
			return 0, err
		}
	}
	for n = range p {
		if p[n], err = l.next(); err != nil {
			return n, err
		}
		l.at++
	}
	return len(p), nil
}

// next returns the next byte.
func (l *latin1) next() (byte, error) {
	first, err := l.in.ReadByte()
	if err != nil || first < 0x80 {
		return first, err
	}
	second, err := l.in.ReadByte()
	if err != nil || first&^1 != 0xc2 || second&0xc0 != 0x80 {
		return 0, errors.New("the pickle is damaged: bytes are not in Latin-1")
	}
	return first<<6 | second&0x3f, nil
}
