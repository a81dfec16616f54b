package kge

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/autoblm/autoblm-go/internal/labels"
)

// Model is a trained model with the labels of its entities and relations.
type Model struct {
	Parameters
	// Dataset is the name of the training data. Source lets the task find the data again: the
	// folder from which they were read, or their name.
	Dataset, Source string
	// TrainedOn identifies the data of the training, then of those that it continued, and then of its
	// teacher's; nil if unknown.
	TrainedOn []DataID
	// EntityLabels and RelationLabels name the rows of the tables.
	EntityLabels, RelationLabels []string
	// Training describes how the model was trained; nil if another program wrote it.
	Training *Training
	// Position says when in its training the model was taken; nil if unknown.
	Position *Position
	// Valid and Test are evaluations as JSON of the task; nil if not evaluated.
	Valid, Test json.RawMessage
}

// DataID identifies data by their contents, and says where they were.
type DataID struct {
	Source      string `json:"source"`
	Fingerprint string `json:"fingerprint"`
}

// Position is a position in a training.
type Position struct {
	// Epoch is the last complete epoch, from 1. With validation it is the best epoch.
	Epoch int `json:"epoch"`
	// Steps is the total number of steps if the position is within the next epoch, and else 0.
	Steps int `json:"steps,omitempty"`
	// Interrupted is true if the training did not complete.
	Interrupted bool `json:"interrupted,omitempty"`
}

// Training describes how a model was trained.
type Training struct {
	Settings Settings `json:"settings"`
	Member   Member   `json:"member"`
	// TaskSettings has the settings that only the task has; nil for none.
	TaskSettings map[string]json.RawMessage `json:"task_settings,omitempty"`
}

// Equal reports whether two descriptions are equal.
func (t Training) Equal(other Training) bool {
	equal := func(a, b json.RawMessage) bool { return bytes.Equal(a, b) }
	return t.Settings == other.Settings && t.Member == other.Member &&
		maps.EqualFunc(t.TaskSettings, other.TaskSettings, equal)
}

func (j Job) newModel(m Member, p Parameters) (*Model, error) {
	d, s := j.Data, j.Settings
	trainedOn := []DataID{{d.Source, d.Fingerprint()}}
	var earlier []DataID
	if j.Start != nil {
		earlier = j.Start.TrainedOn
	}
	for _, id := range slices.Concat(earlier, d.TeacherTrainedOn) {
		if !slices.Contains(trainedOn, id) {
			trainedOn = append(trainedOn, id)
		}
	}
	t := &Training{Settings: s, Member: m}
	if d.TaskSettings != nil {
		text, err := json.Marshal(d.TaskSettings)
		if err != nil {
			return nil, err
		}
		if err := json.Unmarshal(text, &t.TaskSettings); err != nil {
			return nil, err
		}
	}
	return &Model{
		Parameters: p, Dataset: d.Name, Source: d.Source, TrainedOn: trainedOn,
		EntityLabels: d.Entities, RelationLabels: d.Relations, Training: t,
	}, nil
}

// SetEvaluations sets Valid and Test from a value that is a JSON object with "valid" and
// "test", or without them.
func (m *Model) SetEvaluations(evaluations any) error {
	text, err := json.Marshal(evaluations)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, &struct{ Valid, Test *json.RawMessage }{&m.Valid, &m.Test})
}

// HasIDs reports whether the labels have the ids of the model.
func (m *Model) HasIDs(entities, relations []string) bool {
	return slices.Equal(entities, m.EntityLabels) && slices.Equal(relations, m.RelationLabels)
}

// Reorder returns the model with its rows in the order of other lists of the same labels. A
// label that only one of the lists has is an error.
func (m *Model) Reorder(entities, relations []string) (*Model, error) {
	if m.HasIDs(entities, relations) {
		return m, nil
	}
	orders := map[string][]int{"model": {0}}
	var err error
	if orders["entity"], err = orderOf("entity", m.EntityLabels, entities); err != nil {
		return nil, err
	}
	if orders["relation"], err = orderOf("relation", m.RelationLabels, relations); err != nil {
		return nil, err
	}
	var tables [][]float32
	for i, t := range m.layout() {
		tables = append(tables, t.reorder(m.All()[i], orders[t.kind]))
	}
	other := *m
	other.EntityLabels, other.RelationLabels = entities, relations
	other.Tables = TablesOf(tables)
	return &other, nil
}

// Extend returns the model with the entities and relations of another one that it lacks, after its
// own. Both have the same form and dimension.
func (m *Model) Extend(other *Model) *Model {
	extended := *m
	extended.EntityLabels = union(m.EntityLabels, other.EntityLabels)
	extended.RelationLabels = union(m.RelationLabels, other.RelationLabels)
	own, from := m.layout(), other.layout()
	var tables [][]float32
	for i, t := range extended.layout() {
		known, size, indices := len(own[i].labels), t.rows*t.columns, labels.Index(from[i].labels)
		table := make([]float32, 0, t.totalRows()*t.columns)
		for direction := range t.directions {
			table = append(table, m.All()[i][direction*known*size:][:known*size]...)
			for _, label := range t.labels[known:] {
				row := direction*len(from[i].labels) + int(indices[label])
				table = append(table, other.All()[i][row*size:][:size]...)
			}
		}
		tables = append(tables, table)
	}
	extended.Tables = TablesOf(tables)
	return &extended
}

// union returns labels and then those of others that are not among them.
func union(own, others []string) []string {
	all, indices := slices.Clone(own), labels.Index(own)
	for _, label := range others {
		if _, isKnown := indices[label]; !isKnown {
			all = append(all, label)
		}
	}
	return all
}

// orderOf returns the index in from of each label in to.
func orderOf(kind string, from, to []string) ([]int, error) {
	indices := labels.Index(from)
	order := make([]int, len(to))
	for i, label := range to {
		index, found := indices[label]
		if !found {
			return nil, fmt.Errorf("the model lacks the %s %q", kind, label)
		}
		order[i] = int(index)
		delete(indices, label)
	}
	for _, label := range from {
		if _, isLeft := indices[label]; isLeft {
			return nil, fmt.Errorf("the other labels lack the %s %q", kind, label)
		}
	}
	return order, nil
}

// labelledTable describes a table of a model and the labels of its rows.
type labelledTable struct {
	name, kind string // kind is "entity", "relation" or, for a global table, "model"
	labels     []string
	directions int // blocks of rows, each with all labels
	rows       int // per label and direction
	columns    int
}

// layout returns the tables of the model in order.
func (m *Model) layout() []labelledTable {
	all := []labelledTable{{entityTable, "entity", m.EntityLabels, 1, 1, m.Dim}}
	for _, t := range m.Specs() {
		table := labelledTable{
			t.Name, "relation", m.RelationLabels, m.directions(), t.Rows, t.Columns,
		}
		if t.Global { // one label for the whole table
			table.kind, table.labels, table.directions = "model", []string{t.Name}, 1
		}
		all = append(all, table)
	}
	return all
}

// entityTable is the name of the table of entities.
const entityTable = "entities"

// totalRows returns the number of rows.
func (t labelledTable) totalRows() int { return t.directions * t.rows * len(t.labels) }

// reorder returns the numbers of the table with its labels in another order.
func (t labelledTable) reorder(from []float32, order []int) []float32 {
	to := make([]float32, 0, len(from))
	size := t.rows * t.columns
	for direction := range t.directions {
		for _, label := range order {
			to = append(to, from[(direction*len(t.labels)+label)*size:][:size]...)
		}
	}
	return to
}
