package study

import (
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/internal/atomicfile"
	"github.com/autoblm/autoblm-go/internal/format"
	"github.com/autoblm/autoblm-go/internal/inputfile"
	"github.com/autoblm/autoblm-go/internal/record"
	"github.com/autoblm/autoblm-go/internal/settings"
)

// Study is a study that this process has locked. It implements [search.Store].
type Study struct {
	database
	release   func() // the lock; nil where SQLite locks the study for the whole search
	leave     func() // ends the use of the file in this process
	row       row    // as stored
	changed   bool   // by this process
	closed    bool
	precision kge.Precision
	byDefault *kge.Recipe // of the default model
}

// Open opens the study at path, or creates one if there is no file or an empty one. It fails
// without changing the file if the file is not a study, is damaged or has another format, if
// another process has the study ([InUseError]), and if the study is of another search. The error
// lists the settings that differ.
func Open(path string, about About) (*Study, error) { return open(path, about, false) }

// OpenFor opens or creates the study at path for a search, and returns the search with the study
// as its store and with its precision resolved. A resumed study keeps its own precision if that of
// the search is auto, and its recipe of the default model if the search has none. The command holds the
// arguments of the search as given, nil if a program runs it.
func OpenFor(path string, p search.Problem, command []string) (*Study, search.Problem, error) {
	auto := p.Settings.Training.Precision == kge.AutoPrecision
	var err error
	if p.Settings, err = search.Resolve(p.Task, p.Settings); err != nil {
		return nil, p, err
	}
	about, err := Describe(p.Task, p.Strategy, p.Settings)
	if err != nil {
		return nil, p, err
	}
	about.Command, about.Default = command, p.Default
	s, err := open(path, about, auto)
	if err != nil {
		return nil, p, err
	}
	p.Store, p.Settings.Training.Precision, p.Default = s, s.precision, s.byDefault
	if p.Settings, err = search.Resolve(p.Task, p.Settings); err != nil {
		err = fmt.Errorf("the study %s has precision %v, which this machine does not support: "+
			"%w, or begin another study", path, s.precision, err)
		return nil, p, errors.Join(err, s.Close())
	}
	return s, p, nil
}

// open opens a study. With anyPrecision, its precision may differ from that of about.
func open(path string, about About, anyPrecision bool) (*Study, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return nil, fmt.Errorf("cannot make the folder of the study: %w", err)
	}
	leave, err := usedFiles.search(path)
	if err != nil {
		return nil, err
	}
	s, err := openAlone(path, about, anyPrecision)
	if err != nil {
		leave()
		return nil, err
	}
	s.leave = leave
	return s, nil
}

// openAlone opens a study that nothing else in this process uses.
func openAlone(path string, about About, anyPrecision bool) (*Study, error) {
	// Opening the database of another program could roll back its unfinished changes.
	h, err := readHeader(path)
	if errors.Is(err, inputfile.ErrNotRegular) {
		return nil, fmt.Errorf("cannot open the study: %w", err)
	}
	if err == nil && !h.empty {
		if err := h.check(path); err != nil {
			return nil, err
		}
	}
	database, err := openDatabase(path, path, "rwc")
	if err != nil {
		return nil, err
	}
	s := &Study{database: database}
	if err = s.lock(); err == nil {
		err = s.begin(about, anyPrecision)
	}
	if err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

// lock locks the study for this process. Other processes can read it between two changes. Where a
// file has no other locks than those of SQLite, they cannot. It checks the file before the first
// change, because SQLite repairs damage that it considers harmless when it changes a file.
func (s *Study) lock() error {
	if err := s.run("PRAGMA busy_timeout = 60000"); err != nil { // milliseconds; readers are quick
		return err
	}
	release, err := atomicfile.TakeLock(lockFile(s.path))
	locked, isLocked := errors.AsType[*atomicfile.LockedError](err)
	switch {
	case err == nil:
		s.release = release
		if err := s.checkPages(); err != nil {
			return err
		}
		return s.run("PRAGMA journal_mode = TRUNCATE", "PRAGMA synchronous = FULL")
	case isLocked:
		return &InUseError{s.path, locked.Process}
	case !errors.Is(err, errors.ErrUnsupported):
		return notWritable(s.path, err)
	}
	if err := s.run("PRAGMA busy_timeout = 250"); err != nil {
		return err
	}
	if err := s.checkPages(); err != nil {
		return err
	}
	return s.run("PRAGMA locking_mode = EXCLUSIVE", "PRAGMA synchronous = FULL",
		"BEGIN EXCLUSIVE", "COMMIT")
}

func notWritable(path string, cause error) error {
	if at, is := errors.AsType[*fs.PathError](cause); is {
		cause = at.Err
	}
	return fmt.Errorf("cannot open the study %s: the file or its folder cannot be written: %w", path, cause)
}

// run executes statements.
func (s *Study) run(statements ...string) error {
	for _, statement := range statements {
		if _, err := s.db.Exec(statement); err != nil {
			return s.explain("open", err)
		}
	}
	return nil
}

// begin creates the tables of a new study, or compares about with the stored description.
func (s *Study) begin(about About, anyPrecision bool) error {
	empty, err := s.isEmpty()
	if err != nil {
		return err
	}
	var wanted row
	if empty {
		wanted, err = newRow(about)
	} else if s.row, err = s.readRow(); err == nil {
		wanted, err = s.resumed(about, anyPrecision)
	}
	if err != nil {
		return err
	}
	stored, err := wanted.about()
	if err != nil {
		return damaged(s.path, err)
	}
	s.precision, s.byDefault = stored.Settings.Training.Precision, stored.Default
	if wanted == s.row {
		return nil
	}
	return s.change(func(tx *sql.Tx) error {
		if empty {
			if err := createTables(tx); err != nil {
				return err
			}
		}
		return s.putRow(tx, wanted)
	})
}

// firstOf shortens a long list of differences.
func firstOf(differences string) string {
	const most = 3
	all := strings.Split(differences, "; ")
	if len(all) <= most+1 {
		return differences
	}
	return fmt.Sprintf("%s; and %d more", strings.Join(all[:most], "; "), len(all)-most)
}

// ErrOtherSearch reports a study with trials of a search that has other settings.
var ErrOtherSearch = errors.New("is about another search")

// resumed returns the row of the study for another run of the search that about describes. A study
// without trials accepts any other search.
func (s *Study) resumed(about About, anyPrecision bool) (row, error) {
	stored, err := s.row.about()
	if err != nil {
		return row{}, damaged(s.path, err)
	}
	if anyPrecision {
		about.Settings.Training.Precision = stored.Settings.Training.Precision
	}
	wanted, err := newRow(about)
	if err != nil {
		return row{}, err
	}
	differ, err := settings.Difference([]byte(s.row.description), []byte(wanted.description))
	if err != nil {
		return row{}, damaged(s.path, err)
	}
	if differ == "" {
		if about.Source == "" { // the graph is in memory
			about.Source = stored.Source
		}
		if about.Command == nil {
			about.Command = stored.Command
		}
		if about.Default == nil {
			about.Default = stored.Default
		}
		if err := s.checkBudget(about.Settings, stored.Settings.Budget); err != nil {
			return row{}, err
		}
		if about.Settings.Budget == stored.Settings.Budget {
			about.Stopped = stored.Stopped // the search may have nothing left to do
		}
		wanted, err = newRow(about)
		wanted.description, wanted.plan = s.row.description, s.row.plan
		return wanted, err
	}
	var trials int
	if err := s.db.QueryRow("SELECT count(*) FROM trials").Scan(&trials); err != nil {
		return row{}, s.explain("read", err)
	}
	if trials > 0 {
		fix := "use the same settings"
		switch {
		case stored.Dataset == about.Dataset && stored.Fingerprint != about.Fingerprint:
			fix = "restore the data"
		case len(stored.Command) > 0:
			fix = "repeat autoblm " + record.CommandLine(stored.Command...)
		}
		return row{}, fmt.Errorf("the study %s %w (%s): %s, or name another study",
			s.path, ErrOtherSearch, firstOf(differ), fix)
	}
	return wanted, nil
}

// checkBudget returns an error if the budget is below the one of the last run and below the number
// of trials that are finished.
func (s *Study) checkBudget(settings search.Settings, last int) error {
	if settings.Budget >= last {
		return nil
	}
	trials, err := s.Trials()
	finished := task.Finished(search.Proposed(trials))
	if err == nil && settings.Budget < finished {
		err = fmt.Errorf("budget is %d, but the study %s has %s already: raise it, or keep %d",
			settings.Budget, s.path, format.Count(finished, settings.TrialName()), last)
	}
	return err
}

// Put implements [search.Store].
func (s *Study) Put(c search.Change) error {
	return s.change(func(tx *sql.Tx) error {
		for _, t := range c.Trials {
			if err := putTrial(tx, t); err != nil {
				return err
			}
		}
		if c.Round != nil {
			if err := putRound(tx, *c.Round); err != nil {
				return err
			}
		}
		wanted := s.row
		if c.Plan != nil {
			plan, err := json.Marshal(c.Plan)
			if err != nil {
				return err
			}
			wanted.plan = string(plan)
		}
		if c.Stopped != "" || len(c.Trials) > 0 { // with new trials an earlier end is none
			var err error
			if wanted, err = wanted.ended(c.Stopped); err != nil {
				return err
			}
		}
		if wanted != s.row {
			if err := s.putRow(tx, wanted); err != nil {
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
		return putArtifact(tx, best, c.Best)
	})
}

// putRow replaces the row of table about.
func (s *Study) putRow(tx *sql.Tx, r row) error {
	s.row = r
	return errors.Join(
		execute(tx, "DELETE FROM about"),
		execute(tx, "INSERT INTO about VALUES (?, ?, ?, ?)",
			r.description, r.run, r.plan, checksum(r.description, r.run, r.plan)))
}

// change runs f in a transaction.
func (s *Study) change(f func(tx *sql.Tx) error) error {
	s.changed = true
	before := s.row
	tx, err := s.db.Begin()
	if err != nil {
		return s.explain("write", err)
	}
	if err := f(tx); err != nil {
		s.row = before
		return errors.Join(s.explain("write", err), ignoreDone(tx.Rollback()))
	}
	if err := tx.Commit(); err != nil {
		s.row = before
		return s.explain("write", err)
	}
	return nil
}

// Close closes the study and frees its lock. Another call does nothing.
func (s *Study) Close() error {
	if s.closed {
		return nil
	}
	s.closed = true
	defer s.leave()
	journal := s.path + "-journal"
	info, err := os.Stat(journal)
	if !s.changed || err == nil && info.Size() == 0 {
		// A killed process, or this one, left a journal with nothing to roll back. SQLite removes it
		// only at the next change.
		_ = os.Remove(journal)
	}
	return s.close()
}

func (s *Study) close() error {
	err := s.db.Close()
	if s.release != nil {
		s.release()
	}
	return err
}
