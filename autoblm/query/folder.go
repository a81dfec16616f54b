package query

import (
	"errors"
	"fmt"
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/internal/modelfolder"
)

// description is model.json. Model, Structure, K and Dim are all that a reader needs;
// a bilinear model is one of completion too.
type description struct {
	Model     Kind                `json:"model"`
	Structure structure.Structure `json:"structure,omitzero"`
	K         int                 `json:"k,omitempty"`
	Dim       int                 `json:"dim"`
	// Reciprocal says that the table of relations goes on with the rows of their
	// reverses.
	Reciprocal bool        `json:"reciprocal,omitempty"`
	Dataset    string      `json:"dataset,omitempty"`
	Source     string      `json:"source,omitempty"`
	Training   *Training   `json:"training,omitempty"`
	Valid      *Evaluation `json:"valid,omitempty"`
	Test       *Evaluation `json:"test,omitempty"`
}

func (d description) check() error {
	k := d.Structure.K()
	if d.Model == Diag && d.Structure != oneCell {
		return fmt.Errorf("the structure of diag is %v, not %v: leave it as it was written", d.Structure, oneCell)
	}
	switch bilinear := d.Model == Bilinear || d.Model == Diag; {
	case bilinear && k == 0:
		return errors.New(`the structure is missing: add "structure", such as "complex"`)
	case !bilinear && k != 0:
		return fmt.Errorf("%v has no structure: remove it", d.Model)
	case d.K != k:
		return fmt.Errorf("k is %d, but the structure has %d rows: one of them is wrong", d.K, k)
	case d.Dim < 1 || d.Dim%max(1, k) != 0:
		return fmt.Errorf("dim is %d: it must be a positive multiple of k, which is %d", d.Dim, k)
	case d.Dim > mostDim:
		return fmt.Errorf("dim is %d: at most %d is possible", d.Dim, mostDim)
	}
	return nil
}

// mostDim is far above any use, and keeps the sizes of tables from overflowing.
const mostDim = 1 << 20

// rows is how many rows of the table each relation has, in both directions.
func (p Parameters) rows() int {
	rows := p.Kind.RelationRows(p.Dim)
	if p.Reciprocal {
		rows *= 2
	}
	return rows
}

// Files are those of the model's folder; see [completion.Labelled.Files].
func (m *Model) Files() (map[string][]byte, error) {
	d := description{
		Model: m.Kind, Structure: m.Structure, K: m.Structure.K(), Dim: m.Dim, Reciprocal: m.Reciprocal, Dataset: m.Dataset, Source: m.Source,
		Training: m.Training, Valid: m.Valid, Test: m.Test,
	}
	if err := d.check(); err != nil {
		return nil, fmt.Errorf("cannot save the model: %w", err)
	}
	return completion.Labelled{
		Dim: m.Dim, Entities: m.Entities, Relations: m.Relations, EntityLabels: m.EntityLabels, RelationLabels: m.RelationLabels, RelationRows: m.rows(),
	}.Files(d)
}

// Save writes the model as a folder that other tools can read. It makes the folder. After
// an error, as on a full disk, a model that the folder had stays as it was.
func (m *Model) Save(dir string) error {
	files, err := m.Files()
	if err != nil {
		return err
	}
	return modelfolder.Write(dir, files)
}

// Load reads a folder that [Model.Save] wrote, or one of completion, by whichever
// program. Errors name the file and what it lacks.
func Load(dir string) (*Model, error) {
	var d description
	if err := completion.ReadDescription(dir, &d, func() error { return d.check() }); err != nil {
		return nil, err
	}
	m := &Model{Dataset: d.Dataset, Source: d.Source, Training: d.Training, Valid: ofQueries(d.Valid), Test: ofQueries(d.Test)}
	m.Kind, m.Structure, m.Dim, m.Reciprocal = d.Model, d.Structure, d.Dim, d.Reciprocal
	t, err := completion.LoadLabelled(dir, m.Dim, m.rows())
	if err != nil {
		return nil, err
	}
	m.Entities, m.Relations, m.EntityLabels, m.RelationLabels = t.Entities, t.Relations, t.EntityLabels, t.RelationLabels
	return m, nil
}

// ofQueries is an evaluation, or nil where it is one of completion, which counts no
// queries.
func ofQueries(e *Evaluation) *Evaluation {
	if e == nil || e.Queries == 0 {
		return nil
	}
	return e
}

// TrainedHops are the lengths of the paths that the model was trained on, ascending;
// none where that is not known. A model of completion was trained on triples, which
// are paths of one hop.
func (m *Model) TrainedHops() []int {
	if m.Training == nil {
		return nil
	}
	if trained := m.Training.Settings.Trained(); len(trained) > 0 {
		return trained
	}
	return []int{1}
}

// OwnHops are the lengths of the paths that the model is for, which may be fewer than
// [Model.TrainedHops]; none where that is not known.
func (m *Model) OwnHops() []int {
	if m.Training == nil || len(m.Training.Settings.Hops) == 0 {
		return m.TrainedHops()
	}
	return m.Training.Settings.Hops
}

// Align returns the queries of a split with the ids of the model. A label that the
// model lacks is an error that names it, and so is a split without such queries.
// Entities that the data lack are candidates too.
func (m *Model) Align(d *Data, split Split, hops int) ([]Query, error) {
	if err := d.Needs(split, hops); err != nil {
		return nil, err
	}
	queries := d.Queries(split, hops)
	if slices.Equal(d.Entities, m.EntityLabels) && slices.Equal(d.Relations, m.RelationLabels) {
		return queries, nil
	}
	entities, relations := newTranslation(d.Entities, m.EntityLabels), newTranslation(d.Relations, m.RelationLabels)
	aligned := make([]Query, len(queries))
	for i, q := range queries {
		a := &aligned[i]
		a.Anchor = entities.of(q.Anchor)
		for _, r := range q.Relations {
			a.Relations = append(a.Relations, 2*relations.of(r/2)+r%2)
		}
		for _, answers := range []struct {
			from []int32
			to   *[]int32
		}{{q.Hard, &a.Hard}, {q.Easy, &a.Easy}} {
			for _, e := range answers.from {
				*answers.to = append(*answers.to, entities.of(e))
			}
			slices.Sort(*answers.to)
		}
	}
	if err := missingFrom(d, entities, relations); err != nil {
		return nil, err
	}
	return aligned, nil
}

// missingFrom names what was looked up in vain in the labels of a model.
func missingFrom(d *Data, entities, relations *translation) error {
	if label, missing := entities.missing(); missing {
		return fmt.Errorf("the model has no entity %q, which %s mentions", label, d.Name)
	}
	if label, missing := relations.missing(); missing {
		return fmt.Errorf("the model has no relation %q, which %s mentions", label, d.Name)
	}
	return nil
}

// translation carries ids over to those of other labels.
type translation struct {
	labels []string
	ids    []int32 // by id; -1 where there is no such label
	lost   int32   // an id that was asked for and has none, or -1
}

func newTranslation(from, to []string) *translation {
	place := make(map[string]int32, len(to))
	for i, label := range to {
		place[label] = int32(i)
	}
	t := &translation{labels: from, ids: make([]int32, len(from)), lost: -1}
	for i, label := range from {
		id, found := place[label]
		if !found {
			id = -1
		}
		t.ids[i] = id
	}
	return t
}

func (t *translation) of(id int32) int32 {
	if t.ids[id] < 0 {
		t.lost = id
	}
	return t.ids[id]
}

// missing is a label that was asked for in vain.
func (t *translation) missing() (label string, missing bool) {
	if t.lost < 0 {
		return "", false
	}
	return t.labels[t.lost], true
}
