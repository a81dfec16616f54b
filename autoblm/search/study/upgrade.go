package study

import (
	"bytes"
	"database/sql"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/autoblm/autoblm-go/internal/labels"
	"github.com/autoblm/autoblm-go/internal/modelfolder"
	"github.com/autoblm/autoblm-go/internal/npy"
)

// Versions before this that can be upgraded. In oldVersion a trial had an MRR or an objective in
// place of a score, completion had no name, and the best model stood in columns and not as the
// files of its folder. The version after that kept nothing but the best model.
const (
	oldVersion      = 4
	bestOnlyVersion = 5
)

// upgrade is what a study of oldVersion becomes.
type upgrade struct {
	description, source string
	budget              int
	trials              []upgradedTrial
	files               map[string][]byte // nil where there is no best model
}

type upgradedTrial struct {
	number      int
	text        string
	score, test *float64
}

// readOld reads a study of oldVersion. What is written is all that was there, byte for
// byte, and what is new beside it.
func (s *Study) readOld() (u upgrade, err error) {
	if u.description, u.source, u.budget, err = s.description(); err != nil {
		return u, err
	}
	about := struct {
		Task string          `json:"task"`
		Own  json.RawMessage `json:"task_settings"`
	}{}
	if err := json.Unmarshal([]byte(u.description), &about); err != nil {
		return u, damaged(s.path, err)
	}
	if about.Task == "" {
		u.description = string(join(json.RawMessage(`{"task":"completion"}`), json.RawMessage(u.description)))
	}
	err = s.eachTrial(func(number int, text string) error {
		t, err := newUpgradedTrial(number, text)
		u.trials = append(u.trials, t)
		return err
	})
	if err != nil {
		return u, err
	}
	u.files, err = s.oldBest(about.Task, about.Own)
	return u, err
}

func newUpgradedTrial(number int, text string) (upgradedTrial, error) {
	type evaluation struct {
		Both struct {
			MRR *float64 `json:"mrr"`
		} `json:"both"`
	}
	var old struct {
		Valid         evaluation `json:"valid"`
		Test          evaluation `json:"test"`
		Objective     *float64   `json:"objective"`
		TestObjective *float64   `json:"test_objective"`
	}
	t := upgradedTrial{number: number}
	if err := json.Unmarshal([]byte(text), &old); err != nil {
		return t, err
	}
	scores := struct {
		Score *float64 `json:"score,omitempty"`
		Test  *float64 `json:"test_score,omitempty"`
	}{old.Objective, old.TestObjective}
	if scores.Score == nil {
		scores.Score, scores.Test = old.Valid.Both.MRR, old.Test.Both.MRR
	}
	more, err := json.Marshal(scores)
	t.text, t.score, t.test = string(join(json.RawMessage(text), more)), scores.Score, scores.Test
	return t, err
}

// oldBest are the files of the best model's folder, nil where there is none.
func (s *Study) oldBest(task string, own json.RawMessage) (map[string][]byte, error) {
	var description struct {
		Model      string          `json:"model,omitempty"`
		Structure  string          `json:"structure"`
		K          int             `json:"k"`
		Dim        int             `json:"dim"`
		Reciprocal bool            `json:"reciprocal,omitempty"`
		Dataset    string          `json:"dataset,omitempty"`
		Source     string          `json:"source,omitempty"`
		Training   json.RawMessage `json:"training,omitempty"`
		Valid      json.RawMessage `json:"valid,omitempty"`
		Test       json.RawMessage `json:"test,omitempty"`
	}
	d := &description
	var entityLabels, relationLabels, training, valid, test string
	var entities, relations []byte
	var sum int64
	err := s.db.QueryRow("SELECT * FROM best_model").Scan(
		&d.Structure, &d.Dim, &d.Dataset, &d.Source, &entityLabels, &relationLabels, &training, &valid, &test, &entities, &relations, &sum)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil, nil
	case err != nil:
		return nil, s.explain("read", err)
	case sum != checksum(d.Structure, d.Dim, d.Dataset, d.Source, entityLabels, relationLabels, training, valid, test, entities, relations):
		return nil, damaged(s.path, errWrongSum)
	}
	var entityNames, relationNames []string
	parts := struct{ Settings, Member json.RawMessage }{}
	common := struct{ Reciprocal bool }{}
	read := func(text string, value any) {
		if err == nil && text != "null" {
			err = json.Unmarshal([]byte(text), value)
		}
	}
	read(entityLabels, &entityNames)
	read(relationLabels, &relationNames)
	read(training, &d.Training)
	read(valid, &d.Valid)
	read(test, &d.Test)
	read(training, &parts)
	if d.Training != nil {
		read(string(parts.Settings), &common)
	}
	if err == nil && d.Dim < 1 {
		err = fmt.Errorf("the best model has dim %d", d.Dim)
	}
	if err != nil {
		return nil, damaged(s.path, err)
	}
	d.K, d.Reciprocal = 1+strings.Count(d.Structure, ";"), common.Reciprocal
	if task == "query" { // whose models have settings of their own, and name their form
		d.Model = "bilinear"
		if d.Training != nil {
			d.Training = fmt.Appendf(nil, `{"settings":%s,"member":%s}`, join(parts.Settings, own), join(json.RawMessage(`{"model":"bilinear"}`), parts.Member))
		}
	}
	table := func(b []byte) []byte { x := bytesFloat(b); return npy.Encode(x, len(x)/d.Dim, d.Dim) }
	files := map[string][]byte{}
	if err := modelfolder.Describe(files, d); err != nil { // as it was, without checksums
		return nil, damaged(s.path, err)
	}
	files["entities.npy"], files["relations.npy"] = table(entities), table(relations)
	files["entities.txt"], files["relations.txt"] = labels.Encode(entityNames), labels.Encode(relationNames)
	return files, nil
}

// write makes the study one of this version.
func (u upgrade) write(tx *sql.Tx) error {
	for _, statement := range []string{
		"ALTER TABLE trials RENAME COLUMN valid_mrr TO score",
		"ALTER TABLE trials RENAME COLUMN test_mrr TO test_score",
		"DROP TABLE best_model", artifactTable,
	} {
		if err := execute(tx, statement); err != nil {
			return err
		}
	}
	if err := addArtifacts(tx); err != nil {
		return err
	}
	for _, t := range u.trials {
		if err := execute(tx, "UPDATE trials SET trial = ?, score = ?, test_score = ?, checksum = ? WHERE number = ?",
			t.text, t.score, t.test, checksum(t.number, t.text), t.number); err != nil {
			return err
		}
	}
	return errors.Join(putFiles(tx, u.files), putAbout(tx, u.description, u.source, u.budget))
}

// addArtifacts makes a study that keeps the best model only one of this version.
func addArtifacts(tx *sql.Tx) error {
	return errors.Join(execute(tx, artifactsTable), execute(tx, fmt.Sprintf("PRAGMA user_version = %d", schemaVersion)))
}

// upgrade upgrades a study that is read in a transaction, which it ends.
func (s *Study) upgrade() error {
	u, err := s.readOld()
	if err != nil {
		return err
	}
	if _, err := s.db.Exec("ROLLBACK"); err != nil {
		return s.explain("read", err)
	}
	return s.change(u.write)
}

// join puts the fields of two JSON objects into one.
func join(a, b json.RawMessage) json.RawMessage {
	a, b = bytes.TrimSpace(a), bytes.TrimSpace(b)
	switch {
	case len(b) <= len("{}"):
		return a
	case len(a) <= len("{}"):
		return b
	}
	return slices.Concat(a[:len(a)-1], []byte(","), b[1:])
}

func bytesFloat(b []byte) []float32 {
	x := make([]float32, len(b)/4)
	for i := range x {
		x[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
	}
	return x
}
