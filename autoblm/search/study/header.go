package study

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/autoblm/autoblm-go/internal/inputfile"
)

// header is what the first bytes of a file say, which can be read without
// SQLite, and so without locks and without any change
// (https://sqlite.org/fileformat.html).
type header struct {
	empty       bool // no bytes, or no table: as a study is before it has begun
	sqlite      bool
	application uint32
	version     uint32
	journalled  bool // as a study is: by a rollback journal
}

// headerSize is that of the file's header and of the one of its first page, which
// holds the list of tables.
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
		journalled:  b[18] == 1 && b[19] == 1,
	}
	const leaf = 0x0d
	h.empty = h.sqlite && h.application == 0 && h.version == 0 && b[100] == leaf && binary.BigEndian.Uint16(b[103:]) == 0
	return h, nil
}

// check says why a file that is not empty is no study that can be used.
func (h header) check(path string) error {
	switch {
	case !h.sqlite:
		return fmt.Errorf("%s is not a study, or a damaged one: name another file", path)
	case h.application != applicationID:
		return fmt.Errorf("%s is not a study but a database of another program: name another file", path)
	case h.version != formatVersion:
		return fmt.Errorf("the study %s has format %d, but this program supports only format %d: name another study",
			path, h.version, formatVersion)
	case !h.journalled:
		return damaged(path, errors.New("another program changed its kind of journal"))
	}
	return nil
}

// damaged is the error of a study that was one once.
func damaged(path string, why error) error {
	return fmt.Errorf("the study %s is damaged (%s): take it from a backup, or name another study", path, strings.ReplaceAll(why.Error(), "\n", "; "))
}

// Find returns the paths of the studies in a folder and the folders below it, in
// order: the files whose name ends in .db and that say that they are studies.
// Hidden folders and what cannot be read are passed over.
func Find(folder string) ([]string, error) {
	own.Lock()
	defer own.Unlock()
	var found []string
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil && path == folder:
			return fmt.Errorf("cannot look for studies: %w", err)
		case err != nil:
			return nil
		case entry.IsDir() && path != folder && strings.HasPrefix(entry.Name(), "."):
			return fs.SkipDir
		case !entry.Type().IsRegular() || filepath.Ext(path) != ".db":
			return nil
		}
		if isOwn(path) {
			found = append(found, path)
		} else if h, err := readHeader(path); err == nil && h.sqlite && h.application == applicationID {
			found = append(found, path)
		}
		return nil
	})
	slices.Sort(found)
	return found, err
}
