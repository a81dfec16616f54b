package kge

import (
	"bytes"
	"encoding/json"
	"fmt"
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
	// Valid and Test are what it reached, as JSON in the words of the task that measured
	// it; nil where that was not measured.
	Valid, Test json.RawMessage
}

// Training is the record of how a model came about.
type Training struct {
	Settings Settings
	Member   Member
	// Own is a JSON object of the settings that only the task has, nil for none. In JSON
	// they stand among the others.
	Own json.RawMessage
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
	if len(t.Own) > 2 { // more than {}
		j.Settings = slices.Concat(settings[:len(settings)-1], []byte(","), t.Own[1:])
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
	var own map[string]json.RawMessage
	if err := json.Unmarshal(j.Settings, &own); err != nil {
		return err
	}
	for _, field := range reflect.VisibleFields(reflect.TypeFor[Settings]()) {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		delete(own, name)
	}
	if len(own) == 0 {
		return nil
	}
	var err error
	t.Own, err = json.Marshal(own)
	return err
}

// Equal says whether two records tell of the same training.
func (t Training) Equal(other Training) bool {
	return t.Settings == other.Settings && t.Member == other.Member && bytes.Equal(t.Own, other.Own)
}

func newModel(d *Data, s Settings, m Member, p Parameters) (*Model, error) {
	t := &Training{Settings: s, Member: m}
	if d.Own != nil {
		var err error
		if t.Own, err = object(d.Own); err != nil {
			return nil, err
		}
	}
	return &Model{Parameters: p, Dataset: d.Name, Source: d.Source, EntityLabels: d.Entities, RelationLabels: d.Relations, Training: t}, nil
}

// object is JSON with its fields in the order in which they are read back.
func object(v any) (json.RawMessage, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(text, &fields); err != nil {
		return nil, err
	}
	return json.Marshal(fields)
}

// SameIDs says whether labels are numbered as those of the model are.
func (m *Model) SameIDs(entities, relations []string) bool {
	return slices.Equal(entities, m.EntityLabels) && slices.Equal(relations, m.RelationLabels)
}

// Translation carries the ids of some data over to those of a model.
type Translation struct {
	Entities, Relations *Ids
	data                string
}

// Translate is for data with the given name and labels.
func (m *Model) Translate(data string, entities, relations []string) Translation {
	return Translation{NewIds(entities, m.EntityLabels), NewIds(relations, m.RelationLabels), data}
}

// Missing is an error that names an entity or a relation that was asked for and that
// the model lacks, nil where there is none.
func (t Translation) Missing() error {
	for _, each := range []struct {
		kind string
		*Ids
	}{{"entity", t.Entities}, {"relation", t.Relations}} {
		if label, lost := each.Lost(); lost {
			return fmt.Errorf("the model has no %s %q, which %s mentions", each.kind, label, t.data)
		}
	}
	return nil
}

// Ids are the ids that labels have in another list.
type Ids struct {
	labels []string
	ids    []int32 // -1 where there is no such label
	lost   int32   // an id that was asked for and has none, or -1
}

// NewIds carries ids of the first labels over to those of the second.
func NewIds(from, to []string) *Ids {
	place := make(map[string]int32, len(to))
	for i, label := range to {
		place[label] = int32(i)
	}
	t := &Ids{labels: from, ids: make([]int32, len(from)), lost: -1}
	for i, label := range from {
		id, found := place[label]
		if !found {
			id = -1
		}
		t.ids[i] = id
	}
	return t
}

// Of is the id in the other list, -1 where that lacks the label.
func (t *Ids) Of(id int32) int32 {
	if t.ids[id] < 0 && t.lost < 0 {
		t.lost = id
	}
	return t.ids[id]
}

// Lost is the first label that was asked for in vain.
func (t *Ids) Lost() (label string, lost bool) {
	if t.lost < 0 {
		return "", false
	}
	return t.labels[t.lost], true
}
