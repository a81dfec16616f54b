package study

import (
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"

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

// change runs f in a transaction.
func (d database) change(f func(tx *sql.Tx) error) error {
	tx, err := d.db.Begin()
	if err != nil {
		return d.explain("write", err)
	}
	if err := f(tx); err != nil {
		return errors.Join(d.explain("write", err), ignoreDone(tx.Rollback()))
	}
	return d.explain("write", tx.Commit())
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
	var coded *sqlite.Error
	if !errors.As(err, &coded) {
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
		return inUse(d.path, lockHolder(d.path))
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
