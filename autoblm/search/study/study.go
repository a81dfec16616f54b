package study

import (
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/internal/inputfile"
	"github.com/autoblm/autoblm-go/internal/settings"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// Study is an open study file. It implements [search.Store].
type Study struct {
	db   *sql.DB
	path string
	file os.FileInfo // nil when it was opened for reading only
	// changed says whether this process wrote.
	changed bool
	// precision is that of its trials.
	precision kge.Precision
}

// Open opens the study at path, or begins one there: when there is no file, or
// one that was never begun. It fails when the file is another program's, of
// another version or damaged, with an [InUseError] when it is in use, and when the
// study in it is about something else, which the error spells out; the file stays
// as it is.
func Open(path string, about About) (*Study, error) {
	own.Lock()
	defer own.Unlock()
	if isOwn(path) {
		return nil, inUse(path, os.Getpid())
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return nil, fmt.Errorf("cannot make the folder of the study: %w", err)
	}
	// What is no study is not even opened as a database, which could roll back
	// what another program had begun to write.
	h, err := readHeader(path)
	if errors.Is(err, inputfile.ErrNotFile) {
		return nil, fmt.Errorf("cannot open the study: %w", err)
	}
	if err == nil && !h.empty {
		if err := h.check(path); err != nil {
			return nil, err
		}
	}
	db, err := openDatabase(path, "rwc")
	s := &Study{db: db, path: path}
	if err != nil {
		return nil, s.explain("open", err)
	}
	if err = s.lock(); err == nil {
		err = s.begin(about)
	}
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	if s.file, err = os.Stat(path); err != nil {
		return nil, errors.Join(fmt.Errorf("cannot open the study: %w", err), db.Close())
	}
	own.files = append(own.files, s.file)
	return s, nil
}

// openDatabase opens a file in a mode of SQLite's: ro, rw or rwc.
func openDatabase(file, mode string) (*sql.DB, error) {
	address := url.URL{Scheme: "file", Opaque: (&url.URL{Path: filepath.ToSlash(file)}).EscapedPath(), RawQuery: "mode=" + mode}
	db, err := sql.Open("sqlite", address.String())
	if err == nil {
		db.SetMaxOpenConns(1)
	}
	return db, err
}

// lock takes an exclusive lock: one of the operating system, which ends with the
// process. With the lock SQLite may mend what it takes for harmless, so a damaged
// file gets none.
func (s *Study) lock() error {
	if _, err := s.db.Exec("PRAGMA busy_timeout = 250"); err != nil { // whoever reads a study has it for a moment only
		return s.explain("open", err)
	}
	if err := s.checkWhole(); err != nil {
		return err
	}
	for _, statement := range []string{"PRAGMA locking_mode = EXCLUSIVE", "PRAGMA synchronous = FULL", "BEGIN EXCLUSIVE", "COMMIT"} {
		if _, err := s.db.Exec(statement); err != nil {
			return s.explain("open", err)
		}
	}
	return nil
}

// begin writes the description into a new study, or compares it with that of an old one.
func (s *Study) begin(about About) error {
	tables, err := s.tables()
	if err != nil {
		return err
	}
	if tables == 0 {
		s.precision = about.Settings.Training.Precision
		here, err := json.Marshal(about)
		if err != nil {
			return err
		}
		return s.change(func(tx *sql.Tx) error {
			return errors.Join(
				execute(tx, schema),
				execute(tx, fmt.Sprintf("PRAGMA application_id = %d", applicationID)),
				execute(tx, fmt.Sprintf("PRAGMA user_version = %d", formatVersion)),
				putAbout(tx, string(here), about.Source, about.Settings.Budget))
		})
	}
	there, source, budget, err := s.description()
	if err != nil {
		return err
	}
	about.takePrecision([]byte(there))
	s.precision = about.Settings.Training.Precision
	here, err := json.Marshal(about)
	if err != nil {
		return err
	}
	differ, err := settings.Difference([]byte(there), here)
	if err != nil {
		return damaged(s.path, err)
	}
	if differ != "" {
		var trials int
		if err := s.db.QueryRow("SELECT count(*) FROM trials").Scan(&trials); err != nil {
			return s.explain("read", err)
		}
		if trials > 0 { // otherwise it was never begun
			return fmt.Errorf("the study %s is about another search (%s): use the same settings, or name another study", s.path, differ)
		}
		there = string(here)
	}
	if about.Source == "" && differ == "" { // a graph that was built in memory does not forget where it was read before
		about.Source = source
	}
	if differ == "" && about.Source == source && about.Settings.Budget == budget {
		return nil
	}
	return s.change(func(tx *sql.Tx) error {
		return putAbout(tx, there, about.Source, about.Settings.Budget)
	})
}

// tables counts them: 0 in a study that was never begun.
func (s *Study) tables() (n int, err error) {
	err = s.db.QueryRow("SELECT count(*) FROM sqlite_schema").Scan(&n)
	return n, s.explain("read", err)
}

// checkWhole says whether all pages of the database are there and in order.
func (s *Study) checkWhole() error {
	var verdict string
	if err := s.db.QueryRow("PRAGMA integrity_check(1)").Scan(&verdict); err != nil {
		return s.explain("read", err)
	}
	if verdict != "ok" {
		return damaged(s.path, errors.New(verdict))
	}
	return nil
}

// putAbout replaces the row about.
func putAbout(tx *sql.Tx, description, source string, budget int) error {
	return errors.Join(
		execute(tx, "DELETE FROM about"),
		execute(tx, "INSERT INTO about VALUES (?, ?, ?, ?)", description, source, budget, checksum(description, source, budget)))
}

func (s *Study) description() (description, source string, budget int, err error) {
	var sum int64
	if err := s.db.QueryRow("SELECT description, source, budget, checksum FROM about").Scan(&description, &source, &budget, &sum); err != nil {
		return "", "", 0, s.explain("read", err)
	}
	if sum != checksum(description, source, budget) {
		return "", "", 0, damaged(s.path, errWrongSum)
	}
	return description, source, budget, nil
}

// Close ends the use of the study and frees its lock.
func (s *Study) Close() error {
	own.Lock()
	defer own.Unlock()
	own.files = slices.DeleteFunc(own.files, func(file os.FileInfo) bool { return file == s.file })
	if !s.changed {
		// The journal of a process that was killed after its last change, with nothing to
		// take back, or that would have been done: SQLite leaves it to the next change.
		_ = os.Remove(s.path + "-journal")
	}
	return s.db.Close()
}

// Trials implements [search.Store].
func (s *Study) Trials() (trials []task.Trial, err error) {
	err = s.eachTrial(func(_ int, text string) error {
		var t task.Trial
		err := json.Unmarshal([]byte(text), &t)
		trials = append(trials, t)
		return err
	})
	return trials, err
}

// eachTrial reads the trials in the order of their numbers.
func (s *Study) eachTrial(read func(number int, text string) error) error {
	rows, err := s.db.Query("SELECT number, trial, checksum FROM trials ORDER BY number")
	if err != nil {
		return s.explain("read", err)
	}
	defer rows.Close()
	for rows.Next() {
		var number int
		var text string
		var sum int64
		if err := rows.Scan(&number, &text, &sum); err != nil {
			return s.explain("read", err)
		}
		if sum != checksum(number, text) {
			return damaged(s.path, errWrongSum)
		}
		if err := read(number, text); err != nil {
			return damaged(s.path, err)
		}
	}
	return s.explain("read", rows.Err())
}

// Rounds implements [search.Store]. A table of rounds that has lost its last ones is in order
// for SQLite; that of trials has indices, and knows better.
func (s *Study) Rounds() ([]search.Round, error) {
	var last int
	if err := s.db.QueryRow("SELECT coalesce(max(round), 0) FROM trials").Scan(&last); err != nil {
		return nil, s.explain("read", err)
	}
	rows, err := s.db.Query("SELECT number, random_state, proposed, repeats, seconds, checksum FROM rounds ORDER BY number")
	if err != nil {
		return nil, s.explain("read", err)
	}
	defer rows.Close()
	var rounds []search.Round
	for rows.Next() {
		var r search.Round
		var sum int64
		if err := rows.Scan(&r.Number, &r.RandomState, &r.Proposed, &r.Repeats, &r.Seconds, &sum); err != nil {
			return nil, s.explain("read", err)
		}
		if sum != checksum(r.Number, r.RandomState, r.Proposed, r.Repeats, r.Seconds) {
			return nil, damaged(s.path, errWrongSum)
		}
		rounds = append(rounds, r)
	}
	if err := rows.Err(); err != nil {
		return nil, s.explain("read", err)
	}
	if len(rounds) < last {
		return nil, damaged(s.path, fmt.Errorf("there are %d rounds, and trials of round %d", len(rounds), last))
	}
	return rounds, nil
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
			if err := execute(tx, "INSERT INTO rounds VALUES (?, ?, ?, ?, ?, ?)", r.Number, r.RandomState, r.Proposed, r.Repeats, r.Seconds, checksum(r.Number, r.RandomState, r.Proposed, r.Repeats, r.Seconds)); err != nil {
				return err
			}
		}
		if c.Plan != nil {
			if err := putPlan(tx, *c.Plan); err != nil {
				return err
			}
		}
		for _, trial := range slices.Sorted(maps.Keys(c.Artifacts)) {
			if err := putArtifact(tx, trial, c.Artifacts[trial]); err != nil {
				return err
			}
		}
		if c.Best == nil {
			return nil
		}
		files, err := c.Best.Files()
		if err != nil {
			return err
		}
		return putFiles(tx, files)
	})
}

// putArtifact replaces what a trial has left.
func putArtifact(tx *sql.Tx, trial int, a task.Artifact) error {
	files, err := a.Files()
	if err != nil {
		return err
	}
	if err := execute(tx, "DELETE FROM artifacts WHERE trial = ?", trial); err != nil {
		return err
	}
	for name, content := range files {
		if err := execute(tx, "INSERT INTO artifacts VALUES (?, ?, ?, ?)", trial, name, content, checksum(trial, name, content)); err != nil {
			return err
		}
	}
	return nil
}

func putTrial(tx *sql.Tx, t task.Trial) error {
	text, err := json.Marshal(t)
	if err != nil {
		return err
	}
	recipe, err := json.Marshal(t.Recipe)
	if err != nil {
		return err
	}
	return execute(tx, `INSERT INTO trials VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (number) DO UPDATE SET round = excluded.round, state = excluded.state,
			score = excluded.score, test_score = excluded.test_score, trial = excluded.trial, checksum = excluded.checksum`,
		t.Number, string(t.Stage), t.Round, string(t.State), t.Structure.String(), string(recipe), t.Canonical().String(),
		features(t), t.Score, t.TestScore, string(text), checksum(t.Number, string(text)))
}

// putFiles replaces the files of the best trial.
func putFiles(tx *sql.Tx, files map[string][]byte) error {
	if err := execute(tx, "DELETE FROM artifact"); err != nil {
		return err
	}
	for name, content := range files {
		if err := execute(tx, "INSERT INTO artifact VALUES (?, ?, ?)", name, content, checksum(name, content)); err != nil {
			return err
		}
	}
	return nil
}

// Best implements [search.Store].
func (s *Study) Best() (task.Artifact, error) {
	files, err := s.files()
	if files == nil || err != nil {
		return nil, err
	}
	return files, nil
}

// Artifact implements [search.Store].
func (s *Study) Artifact(trial int) (task.Artifact, error) {
	files, err := s.filesOf("SELECT name, content, checksum FROM artifacts WHERE trial = ?", trial)
	if files == nil || err != nil {
		return nil, err
	}
	return files, nil
}

// files are those of the best trial, nil where there are none.
func (s *Study) files() (task.Files, error) {
	return s.filesOf("SELECT name, content, checksum FROM artifact")
}

// filesOf are files that a query finds, nil where there are none. What they are of is in their
// checksums.
func (s *Study) filesOf(query string, of ...any) (task.Files, error) {
	rows, err := s.db.Query(query, of...)
	if err != nil {
		return nil, s.explain("read", err)
	}
	defer rows.Close()
	var files task.Files
	for rows.Next() {
		var name string
		var content []byte
		var sum int64
		if err := rows.Scan(&name, &content, &sum); err != nil {
			return nil, s.explain("read", err)
		}
		if sum != checksum(append(slices.Clone(of), name, content)...) {
			return nil, damaged(s.path, errWrongSum)
		}
		if files == nil {
			files = task.Files{}
		}
		files[name] = content
	}
	return files, s.explain("read", rows.Err())
}

// change runs f in a transaction.
func (s *Study) change(f func(tx *sql.Tx) error) error {
	s.changed = true
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
		if doing == "read" { // a value of another kind than was written
			return damaged(s.path, err)
		}
		return fmt.Errorf("cannot %s the study %s: %w", doing, s.path, err)
	}
	if coded.Code() == sqlite3.SQLITE_READONLY_ROLLBACK {
		return errUnfinished
	}
	switch coded.Code() & 0xff {
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
		return inUse(s.path, lockHolder(s.path))
	case sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT:
		return damaged(s.path, err)
	case sqlite3.SQLITE_FULL:
		return fmt.Errorf("cannot %s the study %s: the disk is full; make room and run the same command again", doing, s.path)
	case sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM:
		if doing != "read" {
			return fmt.Errorf("cannot %s the study %s: the file or its folder cannot be written", doing, s.path)
		}
	case sqlite3.SQLITE_ERROR:
		if doing == "read" { // a table that is not there any more
			return damaged(s.path, err)
		}
	}
	return fmt.Errorf("cannot %s the study %s: %w", doing, s.path, err)
}

// errUnfinished says that the last change was begun and not finished, and that
// the file cannot be read before it is taken back.
var errUnfinished = errors.New("the last change of the study is unfinished")

var errWrongSum = errors.New("a checksum is wrong")

// checksum tells values of a row from what has become of them on a failing disk.
func checksum(values ...any) int64 {
	sum := crc32.NewIEEE()
	for _, value := range values {
		switch value := value.(type) {
		case []byte:
			fmt.Fprintf(sum, "%d:", len(value))
			_, _ = sum.Write(value)
		case string:
			fmt.Fprintf(sum, "%d:%s", len(value), value)
		default:
			fmt.Fprintf(sum, "%v;", value)
		}
	}
	return int64(sum.Sum32())
}
