package kge

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// Model is a trained model with the names of its entities and relations.
type Model struct {
	Parameters
	// Dataset is the name of the data it was trained on, and Source names them for the
	// task to find again: the folder that they were read from, or their name.
	Dataset, Source string
	// EntityLabels and RelationLabels name the rows of the tables.
	EntityLabels, RelationLabels []string
	// Training says how it was trained; nil in a model written by another program.
	Training *Training
	// Reached says how far the training had come; nil where that is not known.
	Reached *Reached
	// Valid and Test are what it reached, as JSON in the words of the task that measured
	// it; nil where that was not measured.
	Valid, Test json.RawMessage
}

// Reached is where in its training a model is from.
type Reached struct {
	// Epoch is the last whole epoch, from 1, that the numbers have seen: the best one where
	// the training validates.
	Epoch int `json:"epoch"`
	// Steps is how many steps they have seen in all where a part of the next epoch is among
	// them; else 0.
	Steps int `json:"steps,omitempty"`
	// Interrupted says that the training did not come to its end.
	Interrupted bool `json:"interrupted,omitempty"`
}

// Training is the record of how a model came about.
type Training struct {
	Settings Settings
	Member   Member
	// Own are the settings that only the task has, nil for none. In JSON they stand among
	// the others.
	Own map[string]json.RawMessage
}

// trainingJSON is how the record is read. Paths call the form a model.
type trainingJSON struct {
	Settings json.RawMessage `json:"settings"`
	Member   struct {
		Member
		Model json.RawMessage `json:"model,omitempty"`
	} `json:"member"`
}

// MarshalJSON writes settings and member.
func (t Training) MarshalJSON() ([]byte, error) {
	var j trainingJSON
	settings, err := json.Marshal(t.Settings)
	if err != nil {
		return nil, err
	}
	j.Settings, j.Member.Member = settings, t.Member
	if len(t.Own) > 0 {
		own, err := json.Marshal(t.Own)
		if err != nil {
			return nil, err
		}
		j.Settings = slices.Concat(settings[:len(settings)-1], []byte(","), own[1:])
		if j.Member.Model, err = json.Marshal(t.Member.Form); err != nil {
			return nil, err
		}
	}
	return json.Marshal(j)
}

// UnmarshalJSON reads what MarshalJSON writes.
func (t *Training) UnmarshalJSON(text []byte) error {
	var j trainingJSON
	if err := json.Unmarshal(text, &j); err != nil {
		return err
	}
	*t = Training{Member: j.Member.Member}
	if len(j.Member.Model) > 0 {
		if err := json.Unmarshal(j.Member.Model, &t.Member.Form); err != nil {
			return err
		}
	}
	if len(j.Settings) == 0 {
		return nil
	}
	if err := json.Unmarshal(j.Settings, &t.Settings); err != nil {
		return err
	}
	if err := json.Unmarshal(j.Settings, &t.Own); err != nil {
		return err
	}
	for _, field := range reflect.VisibleFields(reflect.TypeFor[Settings]()) {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		delete(t.Own, name)
	}
	if len(t.Own) == 0 {
		t.Own = nil
	}
	return nil
}

// Equal says whether two records tell of the same training.
func (t Training) Equal(other Training) bool {
	return t.Settings == other.Settings && t.Member == other.Member && maps.EqualFunc(t.Own, other.Own, func(a, b json.RawMessage) bool { return bytes.Equal(a, b) })
}

func newModel(d *Data, s Settings, m Member, p Parameters) (*Model, error) {
	t := &Training{Settings: s, Member: m}
	if d.Own != nil {
		own, err := json.Marshal(d.Own)
		if err != nil {
			return nil, err
		}
		if err := json.Unmarshal(own, &t.Own); err != nil {
			return nil, err
		}
	}
	return &Model{Parameters: p, Dataset: d.Name, Source: d.Source, EntityLabels: d.Entities, RelationLabels: d.Relations, Training: t}, nil
}

// Note keeps what the model reached: something that JSON has as an object with "valid" and
// "test", or without them.
func (m *Model) Note(evaluations any) error {
	text, err := json.Marshal(evaluations)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, &struct{ Valid, Test *json.RawMessage }{&m.Valid, &m.Test})
}

// SameIDs says whether labels are numbered as those of the model are.
func (m *Model) SameIDs(entities, relations []string) bool {
	return slices.Equal(entities, m.EntityLabels) && slices.Equal(relations, m.RelationLabels)
}

// Renumbered is the model with its rows in the order of other lists of the same labels. A
// label that only one of them has is an error that names it.
func (m *Model) Renumbered(entities, relations []string) (*Model, error) {
	if m.SameIDs(entities, relations) {
		return m, nil
	}
	other := *m
	other.EntityLabels, other.RelationLabels = entities, relations
	orders := map[string][]int{}
	for _, kind := range []struct {
		name     string
		from, to []string
	}{{"entity", m.EntityLabels, entities}, {"relation", m.RelationLabels, relations}} {
		place := make(map[string]int, len(kind.from))
		for i, label := range kind.from {
			place[label] = i
		}
		for _, label := range kind.to {
			i, found := place[label]
			if !found {
				return nil, fmt.Errorf("it lacks the %s %q, which the other has", kind.name, label)
			}
			orders[kind.name] = append(orders[kind.name], i)
			delete(place, label)
		}
		for _, label := range kind.from {
			if _, left := place[label]; left {
				return nil, fmt.Errorf("it has the %s %q, which the other lacks", kind.name, label)
			}
		}
	}
	var tables [][]float32
	for i, t := range m.layout() {
		from := m.all()[i]
		to := make([]float32, 0, len(from))
		directions := 1
		if t.what == "relation" {
			directions = m.directions()
		}
		size := t.rows / directions * t.columns // of a label in a direction
		for direction := range directions {
			for _, label := range orders[t.what] {
				to = append(to, from[(direction*len(t.labels)+label)*size:][:size]...)
			}
		}
		tables = append(tables, to)
	}
	other.Tables = tablesOf(tables)
	return &other, nil
}

// Translation carries ids over to those that other lists have for the same labels.
type Translation struct{ entities, relations *ids }

// NewTranslation carries the ids of a source with the given name and labels over to those
// of a model's labels, or the other way round.
func NewTranslation(source string, entities, relations, toEntities, toRelations []string) Translation {
	return Translation{newIDs(source, "entity", entities, toEntities), newIDs(source, "relation", relations, toRelations)}
}

// ids are the other ids of some labels, -1 where the other list lacks the label.
type ids struct {
	source, kind string
	labels       []string
	other        []int32
	missing      error // of the first label that was asked for in vain
}

func newIDs(source, kind string, from, to []string) *ids {
	place := make(map[string]int32, len(to))
	for i, label := range to {
		place[label] = int32(i)
	}
	t := &ids{source: source, kind: kind, labels: from, other: make([]int32, len(from))}
	for i, label := range from {
		t.other[i] = -1
		if id, found := place[label]; found {
			t.other[i] = id
		}
	}
	return t
}

func (t *ids) of(id int32) int32 {
	if t.other[id] < 0 && t.missing == nil {
		t.missing = fmt.Errorf("the model has no %s %q, which %s mentions", t.kind, t.labels[id], t.source)
	}
	return t.other[id]
}

// Entity is the other id of an entity, -1 where there is none.
func (t Translation) Entity(id int32) int32 { return t.entities.of(id) }

// Relation is that of a relation.
func (t Translation) Relation(id int32) int32 { return t.relations.of(id) }

// Entities are those of several, ascending; nil where there are none.
func (t Translation) Entities(ids []int32) (other []int32) {
	for _, id := range ids {
		other = append(other, t.Entity(id))
	}
	slices.Sort(other)
	return other
}

// Path is that of a question.
func (t Translation) Path(relations []int32) (other []int32) {
	for _, r := range relations {
		other = append(other, 2*t.Relation(r/2)+r%2)
	}
	return other
}

// Missing is an error that names an entity or a relation that was asked for in vain, nil
// where there is none.
func (t Translation) Missing() error { return cmp.Or(t.entities.missing, t.relations.missing) }
