package study

import (
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/task"
)

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
			score = excluded.score, test_score = excluded.test_score,
			trial = excluded.trial, checksum = excluded.checksum`,
		t.Number, string(t.Stage), t.Round, string(t.State),
		t.Structure.String(), string(recipe), t.Canonical().String(), features(t),
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
