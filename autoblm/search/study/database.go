package study

import (
	"bytes"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/autoblm/autoblm-go/internal/inputfile"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// database is an open SQLite file with a study. Its errors name the study.
type database struct {
	db   *sql.DB
	path string // of the study; the open file may be a copy
}

// openDatabase opens a file with the study of a path. The mode is one of SQLite's: ro, rw or rwc.
func openDatabase(path, file, mode string) (d database, err error) {
	address := url.URL{
		Scheme:   "file",
		Opaque:   (&url.URL{Path: filepath.ToSlash(file)}).EscapedPath(),
		RawQuery: "mode=" + mode,
	}
	d.path = path
	if d.db, err = sql.Open("sqlite", address.String()); err != nil {
		return d, d.explain("open", err)
	}
	d.db.SetMaxOpenConns(1)
	return d, nil
}

// isEmpty reports whether the file has no tables: its search ended before it began.
func (d database) isEmpty() (bool, error) {
	var tables int
	err := d.db.QueryRow("SELECT count(*) FROM sqlite_schema").Scan(&tables)
	return tables == 0, d.explain("read", err)
}

// checkPages checks that all pages of the file are present and consistent.
func (d database) checkPages() error {
	var verdict string
	if err := d.db.QueryRow("PRAGMA integrity_check(1)").Scan(&verdict); err != nil {
		return d.explain("read", err)
	}
	if verdict != "ok" {
		return damaged(d.path, errors.New(verdict))
	}
	return nil
}

// ignoreDone drops the error of rolling back a transaction that SQLite has already rolled back, as
// on a full disk.
func ignoreDone(err error) error {
	if errors.Is(err, sql.ErrTxDone) {
		return nil
	}
	if err != nil && strings.Contains(err.Error(), "no transaction is active") {
		return nil
	}
	return err
}

// explain turns an error of the database into one that names the study and the fix.
func (d database) explain(action string, err error) error {
	if err == nil {
		return nil
	}
	failed := fmt.Sprintf("cannot %s the study %s", action, d.path)
	coded, ok := errors.AsType[*sqlite.Error](err)
	if !ok {
		if action == "read" { // a value has another type than was written, or a row is missing
			return damaged(d.path, err)
		}
		return fmt.Errorf("%s: %w", failed, err)
	}
	if coded.Code() == sqlite3.SQLITE_READONLY_ROLLBACK {
		return errUnfinished
	}
	switch coded.Code() & 0xff {
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
		if action == "write" {
			return fmt.Errorf("%s: another process has been reading it for a minute; end that process "+
				"and resume the study", failed)
		}
		if holder := inUse(d.path); holder != nil {
			return holder
		}
		return &InUseError{Path: d.path}
	case sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT:
		return damaged(d.path, err)
	case sqlite3.SQLITE_FULL:
		const full = "the disk is full; make room and run the same command again"
		return fmt.Errorf("%s: %s", failed, full)
	case sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM:
		if action != "read" {
			return fmt.Errorf("%s: the file or its folder cannot be written", failed)
		}
	case sqlite3.SQLITE_ERROR:
		if action == "read" { // a table is missing
			return damaged(d.path, err)
		}
	}
	return fmt.Errorf("%s: %w", failed, err)
}

// errUnfinished reports that a process was killed during a change, which SQLite has to roll back
// before it can read the file.
var errUnfinished = errors.New("the last change of the study is unfinished")

var errWrongChecksum = errors.New("a checksum is wrong")

// header holds the first bytes of a file. Reading them needs no SQLite, takes no lock and changes
// nothing. See https://sqlite.org/fileformat.html.
type header struct {
	empty       bool // no bytes or no tables, as in a study whose search has not begun
	sqlite      bool
	application uint32
	version     uint32
	changes     uint32 // a counter
	rollback    bool   // has a rollback journal, as studies have
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
		changes:     binary.BigEndian.Uint32(b[24:]),
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
