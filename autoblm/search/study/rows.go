package study

import (
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/search/strategy"
	"github.com/autoblm/autoblm-go/autoblm/task"
)

// About identifies a search by its data and its resolved settings. Only the same search may
// resume a study. The source, the budget, the time limit and the command line may differ: the study
// stores those of its last run.
type About struct {
	task.Identity
	Algorithm string          `json:"algorithm"`
	Settings  search.Settings `json:"settings"`
	// Command holds the arguments of the search as given on the command line, nil for a search
	// that a program runs. A resumed study keeps its command unless there is a new one.
	Command []string `json:"-"`
	// Default is the recipe of the default model, nil for that of the task. A resumed study keeps it
	// like the command.
	Default *kge.Recipe `json:"-"`
	// Stopped is the reason why the last run ended, "" if it was killed or runs.
	Stopped search.Stop `json:"-"`
}

// Describe returns the identity of a search.
func Describe(t task.Task, strategy strategy.Strategy, settings search.Settings) (About, error) {
	identity, err := t.Identity()
	return About{Identity: identity, Algorithm: strategy.Name(), Settings: settings}, err
}

// row is the row of table about.
type row struct{ description, run, plan string }

// run holds what may differ between the runs of a study, as JSON in column run.
type run struct {
	Source  string        `json:"source"`
	Budget  int           `json:"budget"`
	Limit   time.Duration `json:"limit,omitempty"`
	Command []string      `json:"command"`
	Default *kge.Recipe   `json:"default,omitempty"`
	Stopped search.Stop   `json:"stopped,omitempty"`
}

// newRow returns the row for a study about a search, without a plan.
func newRow(about About) (row, error) {
	description, err := json.Marshal(about)
	if err != nil {
		return row{}, err
	}
	last, err := json.Marshal(run{
		about.Source, about.Settings.Budget, about.Settings.TimeLimit, about.Command, about.Default,
		about.Stopped,
	})
	return row{description: string(description), run: string(last), plan: "null"}, err
}

func (d database) readRow() (r row, err error) {
	var sum int64
	err = d.db.QueryRow("SELECT description, run, plan, checksum FROM about").
		Scan(&r.description, &r.run, &r.plan, &sum)
	if err != nil {
		return r, d.explain("read", err)
	}
	if sum != checksum(r.description, r.run, r.plan) {
		return r, damaged(d.path, errWrongChecksum)
	}
	return r, nil
}

// about parses a row.
func (r row) about() (a About, err error) {
	var last run
	if err := json.Unmarshal([]byte(r.description), &a); err != nil {
		return a, err
	}
	if err := json.Unmarshal([]byte(r.run), &last); err != nil {
		return a, err
	}
	a.Source, a.Settings.Budget, a.Command = last.Source, last.Budget, last.Command
	a.Settings.TimeLimit, a.Default, a.Stopped = last.Limit, last.Default, last.Stopped
	return a, nil
}

// ended returns the row with the reason why the run ended.
func (r row) ended(stopped search.Stop) (row, error) {
	about, err := r.about()
	if err != nil {
		return r, err
	}
	about.Stopped = stopped
	changed, err := newRow(about)
	r.run = changed.run
	return r, err
}

// Plan implements [search.Store].
func (d database) Plan() (p *search.Plan, err error) {
	r, err := d.readRow()
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal([]byte(r.plan), &p); err != nil {
		return nil, damaged(d.path, err)
	}
	return p, nil
}

// each calls read for each row of a query.
func (d database) each(read func(*sql.Rows) error, query string, arguments ...any) error {
	rows, err := d.db.Query(query, arguments...)
	if err != nil {
		return d.explain("read", err)
	}
	defer rows.Close()
	for rows.Next() {
		if err := read(rows); err != nil {
			return d.explain("read", err)
		}
	}
	return d.explain("read", rows.Err())
}

// Trials implements [search.Store].
func (d database) Trials() (trials []task.Trial, err error) {
	err = d.each(func(rows *sql.Rows) error {
		var number int
		var text string
		var sum int64
		if err := rows.Scan(&number, &text, &sum); err != nil {
			return err
		}
		if sum != checksum(number, text) {
			return errWrongChecksum
		}
		var t task.Trial
		err := json.Unmarshal([]byte(text), &t)
		trials = append(trials, t)
		return err
	}, "SELECT number, trial, checksum FROM trials ORDER BY number")
	return trials, err
}

// Rounds implements [search.Store]. SQLite does not notice when the last rows of this table are
// lost. It does for table trials, which has indices, so the rounds of the trials are the check.
func (d database) Rounds() (rounds []search.Round, err error) {
	var last int
	err = d.db.QueryRow("SELECT coalesce(max(round), 0) FROM trials").Scan(&last)
	if err != nil {
		return nil, d.explain("read", err)
	}
	err = d.each(func(rows *sql.Rows) error {
		var r search.Round
		var sum int64
		err := rows.Scan(&r.Number, &r.RandomState, &r.Proposed, &r.Repeats, &r.Seconds, &sum)
		if err == nil && sum != roundChecksum(r) {
			err = errWrongChecksum
		}
		rounds = append(rounds, r)
		return err
	}, `SELECT number, random_state, proposed, repeats, seconds, checksum
		FROM rounds ORDER BY number`)
	if err != nil {
		return nil, err
	}
	if len(rounds) < last {
		lost := fmt.Errorf("it has %d rounds but trials of round %d", len(rounds), last)
		return nil, damaged(d.path, lost)
	}
	return rounds, nil
}

func roundChecksum(r search.Round) int64 {
	return checksum(r.Number, r.RandomState, r.Proposed, r.Repeats, r.Seconds)
}

// Best implements [search.Store].
func (d database) Best() (task.Artifact, error) { return d.Artifact(best) }

// Artifact implements [search.Store].
func (d database) Artifact(trial int) (task.Artifact, error) {
	files, err := d.files(trial, "")
	if files == nil || err != nil {
		return nil, err
	}
	return files, nil
}

// files returns the files of the model of a trial, or only the one with a name. It returns nil if
// the study has none.
func (d database) files(trial int, only string) (files task.Files, err error) {
	err = d.each(func(rows *sql.Rows) error {
		var name string
		var content []byte
		var sum int64
		if err := rows.Scan(&name, &content, &sum); err != nil {
			return err
		}
		if sum != checksum(trial, name, content) {
			return errWrongChecksum
		}
		if files == nil {
			files = task.Files{}
		}
		files[name] = content
		return nil
	}, "SELECT name, content, checksum FROM artifacts WHERE trial = ? AND ? IN ('', name)",
		trial, only)
	return files, err
}

func execute(tx *sql.Tx, statement string, arguments ...any) error {
	_, err := tx.Exec(statement, arguments...)
	return err
}

// createTables makes an empty file a study.
func createTables(tx *sql.Tx) error {
	return errors.Join(
		execute(tx, schema),
		execute(tx, fmt.Sprintf("PRAGMA application_id = %d", applicationID)),
		execute(tx, fmt.Sprintf("PRAGMA user_version = %d", formatVersion)))
}

// modelOf returns the text of what a trial trains: its structure, or its form without one.
func modelOf(t task.Trial) string {
	if t.Form != form.Bilinear {
		return t.Form.String()
	}
	return t.Structure.String()
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
	return execute(tx, `INSERT INTO trials VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (number) DO UPDATE SET round = excluded.round, state = excluded.state,
			score = excluded.score, test_score = excluded.test_score,
			trial = excluded.trial, checksum = excluded.checksum`,
		t.Number, string(t.Stage), t.Round, string(t.State), modelOf(t), string(recipe),
		t.Score, t.TestScore, string(text), checksum(t.Number, string(text)))
}

func putRound(tx *sql.Tx, r search.Round) error {
	return execute(tx, "INSERT INTO rounds VALUES (?, ?, ?, ?, ?, ?)",
		r.Number, r.RandomState, r.Proposed, r.Repeats, r.Seconds, roundChecksum(r))
}

// putArtifact replaces the stored model of a trial.
func putArtifact(tx *sql.Tx, trial int, a task.Artifact) error {
	files, err := a.Files()
	if err != nil {
		return err
	}
	if err := execute(tx, "DELETE FROM artifacts WHERE trial = ?", trial); err != nil {
		return err
	}
	for name, content := range files {
		err := execute(tx, "INSERT INTO artifacts VALUES (?, ?, ?, ?)",
			trial, name, content, checksum(trial, name, content))
		if err != nil {
			return err
		}
	}
	return nil
}
