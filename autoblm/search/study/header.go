package study

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/autoblm/autoblm-go/internal/inputfile"
)

// header holds the first bytes of a file. Reading them needs no SQLite, takes no lock and changes
// nothing. See https://sqlite.org/fileformat.html.
type header struct {
	empty       bool // no bytes or no tables, as in a study whose search has not begun
	sqlite      bool
	application uint32
	version     uint32
	rollback    bool // has a rollback journal, as studies have
}

// headerSize is the size of the header of the file and of its first page, the list of tables.
const headerSize = 100 + 8

func readHeader(path string) (header, error) {
	file, err := inputfile.Open(path)
	if err != nil {
		return header{}, err
	}
	defer file.Close()
	b := make([]byte, headerSize)
	n, err := io.ReadFull(file, b)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return header{}, err
	}
	if n < headerSize {
		return header{empty: n == 0}, nil
	}
	h := header{
		sqlite:      bytes.HasPrefix(b, []byte("SQLite format 3\x00")),
		application: binary.BigEndian.Uint32(b[68:]),
		version:     binary.BigEndian.Uint32(b[60:]),
		rollback:    b[18] == 1 && b[19] == 1,
	}
	const leaf = 0x0d
	noTables := b[100] == leaf && binary.BigEndian.Uint16(b[103:]) == 0
	h.empty = h.sqlite && h.application == 0 && h.version == 0 && noTables
	return h, nil
}

// isStudy reports whether the file is a study of any format.
func (h header) isStudy() bool { return h.sqlite && h.application == applicationID }

// check returns an error for a file that is not empty and not a study that this program can use.
func (h header) check(path string) error {
	switch {
	case !h.sqlite:
		return fmt.Errorf("%s is not a study, or is damaged: name another file", path)
	case !h.isStudy():
		return fmt.Errorf("%s is a database of another program: name another file", path)
	case h.version != formatVersion:
		return fmt.Errorf("the study %s has format %d, but this program supports only format %d: "+
			"name another study", path, h.version, formatVersion)
	case !h.rollback:
		return damaged(path, errors.New("another program changed its journal mode"))
	}
	return nil
}

// damaged returns the error for a file that was a study.
func damaged(path string, why error) error {
	reason := strings.ReplaceAll(why.Error(), "\n", "; ")
	return fmt.Errorf("the study %s is damaged (%s): restore a backup, or name another study",
		path, reason)
}
