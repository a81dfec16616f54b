package study

import (
	"database/sql"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

const (
	applicationID = 0x4175424c // "AuBL": tells a study from other SQLite files
	schemaVersion = 2
)

const schema = `
CREATE TABLE about (description TEXT NOT NULL);
CREATE TABLE trials (
	number    INTEGER PRIMARY KEY,
	stage     TEXT NOT NULL,
	round     INTEGER NOT NULL,
	state     TEXT NOT NULL,
	structure TEXT NOT NULL,
	recipe    TEXT NOT NULL, -- settings and seeds, as JSON
	canonical TEXT NOT NULL,
	features  TEXT NOT NULL, -- SRF, a digit each
	valid_mrr REAL,
	test_mrr  REAL,
	trial     TEXT NOT NULL, -- all of it, as JSON
	UNIQUE (structure, recipe)
);
CREATE INDEX trials_by_class ON trials (canonical);
CREATE TABLE rounds (
	number       INTEGER PRIMARY KEY,
	random_state BLOB NOT NULL,
	proposed     INTEGER NOT NULL,
	repeats      INTEGER NOT NULL,
	seconds      REAL NOT NULL
);
CREATE TABLE best_model (
	structure TEXT NOT NULL, dim INTEGER NOT NULL, dataset TEXT NOT NULL, source TEXT NOT NULL,
	entity_labels TEXT NOT NULL, relation_labels TEXT NOT NULL,
	training TEXT NOT NULL, valid TEXT, test TEXT, -- JSON
	entities BLOB NOT NULL, relations BLOB NOT NULL -- little-endian float32, row-major
);`

// Study is an open study file. It implements [search.Store].
type Study struct {
	db   *sql.DB
	path string
}

// Open opens the study at path, or begins one there: when there is no file, or
// one that was never begun. It fails when the file is another program's, of a
// newer version, or in use by another process, and when the study in it is
// about something else, which the error spells out; the file stays as it is.
func Open(path string, about About) (*Study, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, fmt.Errorf("cannot make the folder of the study: %w", err)
	}
	s, err := connect(path)
	if err != nil {
		return nil, err
	}
	if err := s.begin(about); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

func connect(path string) (*Study, error) {
	// One connection with an exclusive lock: a lock of the operating system,
	// which ends with the process.
	address := url.URL{Scheme: "file", Opaque: (&url.URL{Path: filepath.ToSlash(path)}).EscapedPath()}
	db, err := sql.Open("sqlite", address.String())
	if err != nil {
		return nil, fmt.Errorf("cannot open the study %s: %w", path, err)
	}
	db.SetMaxOpenConns(1)
	s := &Study{db: db, path: path}
	for _, pragma := range []string{"PRAGMA locking_mode = EXCLUSIVE", "PRAGMA synchronous = FULL", "BEGIN EXCLUSIVE", "COMMIT"} {
		if _, err := db.Exec(pragma); err != nil {
			return nil, errors.Join(s.explain("open", err), db.Close())
		}
	}
	return s, nil
}

// begin writes the description into a new study, or compares it with that of an old one.
func (s *Study) begin(about About) error {
	here, err := json.Marshal(about)
	if err != nil {
		return err
	}
	var application, version, tables int
	for query, value := range map[string]*int{
		"PRAGMA application_id": &application, "PRAGMA user_version": &version,
		"SELECT count(*) FROM sqlite_schema": &tables,
	} {
		if err := s.db.QueryRow(query).Scan(value); err != nil {
			return s.explain("read", err)
		}
	}
	switch {
	case tables == 0:
		return s.change(func(tx *sql.Tx) error {
			return errors.Join(
				execute(tx, schema),
				execute(tx, "INSERT INTO about VALUES (?)", string(here)),
				execute(tx, fmt.Sprintf("PRAGMA application_id = %d", applicationID)),
				execute(tx, fmt.Sprintf("PRAGMA user_version = %d", schemaVersion)))
		})
	case application != applicationID:
		return fmt.Errorf("%s is not a study but a database of another program: name another file", s.path)
	case version > schemaVersion:
		return fmt.Errorf("the study %s was written by a newer version of this program (format %d, this one knows %d): update the program", s.path, version, schemaVersion)
	case version < schemaVersion:
		return fmt.Errorf("the study %s was written by an older version of this program (format %d, this one knows %d): name another study", s.path, version, schemaVersion)
	}
	var there string
	if err := s.db.QueryRow("SELECT description FROM about").Scan(&there); err != nil {
		return s.explain("read", err)
	}
	differ, err := differences([]byte(there), here)
	if err != nil {
		return fmt.Errorf("the study %s is damaged: %w", s.path, err)
	}
	if differ != "" {
		var trials int
		if err := s.db.QueryRow("SELECT count(*) FROM trials").Scan(&trials); err != nil {
			return s.explain("read", err)
		}
		if trials == 0 { // it was never begun
			return s.change(func(tx *sql.Tx) error { return execute(tx, "UPDATE about SET description = ?", string(here)) })
		}
		return fmt.Errorf("the study %s is about another search (%s): use the same settings, or name another study", s.path, differ)
	}
	return nil
}

// Close ends the use of the study and frees its lock.
func (s *Study) Close() error { return s.db.Close() }

// Trials implements [search.Store].
func (s *Study) Trials() ([]search.Trial, error) {
	rows, err := s.db.Query("SELECT trial FROM trials ORDER BY number")
	if err != nil {
		return nil, s.explain("read", err)
	}
	defer rows.Close()
	var trials []search.Trial
	for rows.Next() {
		var text string
		var t search.Trial
		if err := rows.Scan(&text); err != nil {
			return nil, s.explain("read", err)
		}
		if err := json.Unmarshal([]byte(text), &t); err != nil {
			return nil, fmt.Errorf("the study %s is damaged: %w", s.path, err)
		}
		trials = append(trials, t)
	}
	return trials, s.explain("read", rows.Err())
}

// Rounds implements [search.Store].
func (s *Study) Rounds() ([]search.Round, error) {
	rows, err := s.db.Query("SELECT number, random_state, proposed, repeats, seconds FROM rounds ORDER BY number")
	if err != nil {
		return nil, s.explain("read", err)
	}
	defer rows.Close()
	var rounds []search.Round
	for rows.Next() {
		var r search.Round
		if err := rows.Scan(&r.Number, &r.RandomState, &r.Proposed, &r.Repeats, &r.Seconds); err != nil {
			return nil, s.explain("read", err)
		}
		rounds = append(rounds, r)
	}
	return rounds, s.explain("read", rows.Err())
}

// Put implements [search.Store].
func (s *Study) Put(c search.Change) error {
	return s.change(func(tx *sql.Tx) error {
		for _, t := range c.Trials {
			if err := putTrial(tx, t); err != nil {
				return err
			}
		}
		if r := c.Round; r != nil {
			if err := execute(tx, "INSERT INTO rounds VALUES (?, ?, ?, ?, ?)", r.Number, r.RandomState, r.Proposed, r.Repeats, r.Seconds); err != nil {
				return err
			}
		}
		if c.Best == nil {
			return nil
		}
		return putBest(tx, c.Best)
	})
}

func putTrial(tx *sql.Tx, t search.Trial) error {
	text, err := json.Marshal(t)
	if err != nil {
		return err
	}
	recipe, err := json.Marshal(t.Recipe)
	if err != nil {
		return err
	}
	features := make([]byte, 0, t.Structure.K()*(t.Structure.K()+1))
	for _, bit := range t.Structure.SRF() {
		features = append(features, '0'+bit)
	}
	mrr := func(e *completion.Evaluation) any {
		if e == nil {
			return nil
		}
		return e.Both.MRR
	}
	return execute(tx, `INSERT INTO trials VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (number) DO UPDATE SET round = excluded.round, state = excluded.state,
			valid_mrr = excluded.valid_mrr, test_mrr = excluded.test_mrr, trial = excluded.trial`,
		t.Number, string(t.Stage), t.Round, string(t.State), t.Structure.String(), string(recipe), t.Canonical().String(),
		string(features), mrr(t.Valid), mrr(t.Test), string(text))
}

func putBest(tx *sql.Tx, m *completion.Model) error {
	texts := make([]string, 5)
	for i, value := range []any{m.EntityLabels, m.RelationLabels, m.Training, m.Valid, m.Test} {
		text, err := json.Marshal(value)
		if err != nil {
			return err
		}
		texts[i] = string(text)
	}
	return errors.Join(
		execute(tx, "DELETE FROM best_model"),
		execute(tx, "INSERT INTO best_model VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
			m.Structure.String(), m.Dim, m.Dataset, m.Source, texts[0], texts[1], texts[2], texts[3], texts[4],
			floatBytes(m.Entities), floatBytes(m.Relations)))
}

// Best implements [search.Store].
func (s *Study) Best() (*completion.Model, error) {
	m := &completion.Model{}
	var matrix string
	texts := make([]string, 5)
	var entities, relations []byte
	err := s.db.QueryRow("SELECT * FROM best_model").Scan(&matrix, &m.Dim, &m.Dataset, &m.Source, &texts[0], &texts[1], &texts[2], &texts[3], &texts[4], &entities, &relations)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, s.explain("read", err)
	}
	if m.Structure, err = structure.Parse(matrix); err != nil {
		return nil, fmt.Errorf("the study %s is damaged: %w", s.path, err)
	}
	for i, value := range []any{&m.EntityLabels, &m.RelationLabels, &m.Training, &m.Valid, &m.Test} {
		if err := json.Unmarshal([]byte(texts[i]), value); err != nil {
			return nil, fmt.Errorf("the study %s is damaged: %w", s.path, err)
		}
	}
	m.Entities, m.Relations = bytesFloat(entities), bytesFloat(relations)
	if len(m.Entities) != len(m.EntityLabels)*m.Dim || len(m.Relations) != len(m.RelationLabels)*m.Dim {
		return nil, fmt.Errorf("the study %s is damaged: its best model has tables of the wrong size", s.path)
	}
	return m, nil
}

// change runs f in a transaction.
func (s *Study) change(f func(tx *sql.Tx) error) error {
	tx, err := s.db.Begin()
	if err != nil {
		return s.explain("write", err)
	}
	if err := f(tx); err != nil {
		return errors.Join(s.explain("write", err), ignoreDone(tx.Rollback()))
	}
	return s.explain("write", tx.Commit())
}

func execute(tx *sql.Tx, statement string, arguments ...any) error {
	_, err := tx.Exec(statement, arguments...)
	return err
}

func ignoreDone(err error) error {
	if errors.Is(err, sql.ErrTxDone) || err != nil && strings.Contains(err.Error(), "no transaction is active") {
		return nil // a full disk has rolled it back already
	}
	return err
}

// explain says in words what the database says in codes.
func (s *Study) explain(doing string, err error) error {
	if err == nil {
		return nil
	}
	var coded *sqlite.Error
	if !errors.As(err, &coded) {
		return fmt.Errorf("cannot %s the study %s: %w", doing, s.path, err)
	}
	switch coded.Code() & 0xff {
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
		return fmt.Errorf("the study %s is in use by another process: wait for it, or name another study", s.path)
	case sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT:
		return fmt.Errorf("%s is not a study, or a damaged one: name another file", s.path)
	case sqlite3.SQLITE_FULL:
		return fmt.Errorf("cannot %s the study %s: the disk is full; make room and run the same command again", doing, s.path)
	case sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM:
		return fmt.Errorf("cannot %s the study %s: the file or its folder cannot be written", doing, s.path)
	}
	return fmt.Errorf("cannot %s the study %s: %w", doing, s.path, err)
}

func floatBytes(x []float32) []byte {
	b := make([]byte, 0, 4*len(x))
	for _, v := range x {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
	}
	return b
}

func bytesFloat(b []byte) []float32 {
	x := make([]float32, len(b)/4)
	for i := range x {
		x[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
	}
	return x
}
