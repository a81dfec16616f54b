package study

import (
	"database/sql"
	"encoding/json"
	"errors"

	"github.com/autoblm/autoblm-go/autoblm/search"
)

// planTable has the plan of a search that has one; other studies do without the table.
const planTable = `
CREATE TABLE IF NOT EXISTS plan (
	plan     TEXT NOT NULL, -- JSON
	checksum INTEGER NOT NULL
);`

// Plan implements [search.Store].
func (s *Study) Plan() (*search.Plan, error) {
	var tables int
	if err := s.db.QueryRow("SELECT count(*) FROM sqlite_schema WHERE name = 'plan'").Scan(&tables); err != nil || tables == 0 {
		return nil, s.explain("read", err)
	}
	var text string
	var sum int64
	if err := s.db.QueryRow("SELECT plan, checksum FROM plan").Scan(&text, &sum); errors.Is(err, sql.ErrNoRows) {
		return nil, damaged(s.path, errors.New("the plan is gone"))
	} else if err != nil {
		return nil, s.explain("read", err)
	}
	if sum != checksum(text) {
		return nil, damaged(s.path, errWrongSum)
	}
	var p search.Plan
	if err := json.Unmarshal([]byte(text), &p); err != nil {
		return nil, damaged(s.path, err)
	}
	return &p, nil
}

func putPlan(tx *sql.Tx, p search.Plan) error {
	text, err := json.Marshal(p)
	if err != nil {
		return err
	}
	return errors.Join(
		execute(tx, planTable),
		execute(tx, "DELETE FROM plan"),
		execute(tx, "INSERT INTO plan VALUES (?, ?)", string(text), checksum(string(text))))
}
