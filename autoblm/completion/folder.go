package completion

import (
	"errors"
	"fmt"
	"os"

	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/internal/modelfolder"
)

// description is model.json. Structure, K and Dim are all that a reader needs.
type description struct {
	Structure structure.Structure `json:"structure"`
	K         int                 `json:"k"`
	Dim       int                 `json:"dim"`
	// Reciprocal says that the table of relations goes on, after a row for each
	// label, with a row for the reverse of each.
	Reciprocal bool        `json:"reciprocal,omitempty"`
	Dataset    string      `json:"dataset,omitempty"`
	Source     string      `json:"source,omitempty"`
	Training   *Training   `json:"training,omitempty"`
	Valid      *Evaluation `json:"valid,omitempty"`
	Test       *Evaluation `json:"test,omitempty"`
}

func (d description) check() error {
	switch k := d.Structure.K(); {
	case k == 0:
		return errors.New(`the structure is missing: add "structure", such as "complex"`)
	case d.K != k:
		return fmt.Errorf("k is %d, but the structure has %d rows: one of them is wrong", d.K, k)
	case d.Dim < 1 || d.Dim%k != 0:
		return fmt.Errorf("dim is %d: it must be a positive multiple of k, which is %d", d.Dim, k)
	}
	return nil
}

// Files are those of the model's folder; see [Labelled.Files].
func (m *Model) Files() (map[string][]byte, error) {
	d := description{
		Structure: m.Structure, K: m.Structure.K(), Dim: m.Dim, Reciprocal: m.Reciprocal, Dataset: m.Dataset, Source: m.Source,
		Training: m.Training, Valid: m.Valid, Test: m.Test,
	}
	if err := d.check(); err != nil {
		return nil, fmt.Errorf("cannot save the model: %w", err)
	}
	return Labelled{
		Dim: m.Dim, Entities: m.Entities, Relations: m.Relations, EntityLabels: m.EntityLabels, RelationLabels: m.RelationLabels, RelationRows: m.directions(),
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

// LoadFiles reads what [Model.Files] gave.
func LoadFiles(files map[string][]byte) (*Model, error) {
	dir, err := os.MkdirTemp("", "autoblm-model-")
	if err != nil {
		return nil, fmt.Errorf("cannot make a folder for the model: %w", err)
	}
	defer os.RemoveAll(dir)
	if err := modelfolder.Write(dir, files); err != nil {
		return nil, err
	}
	return Load(dir)
}

// Load reads a model folder, by whichever program it was written: model.json
// needs structure (any text form but @file, or an array of arrays), k and dim;
// for the tables see [LoadLabelled].
func Load(dir string) (*Model, error) {
	var d description
	if err := ReadDescription(dir, &d, func() error { return d.check() }); err != nil {
		return nil, err
	}
	if d.Training != nil {
		d.Training.Member.Structure = d.Structure
	}
	m := &Model{Dataset: d.Dataset, Source: d.Source, Training: d.Training, Valid: d.Valid, Test: d.Test}
	m.Structure, m.Dim, m.Reciprocal = d.Structure, d.Dim, d.Reciprocal
	t, err := LoadLabelled(dir, m.Dim, m.directions())
	if err != nil {
		return nil, err
	}
	m.Entities, m.Relations, m.EntityLabels, m.RelationLabels = t.Entities, t.Relations, t.EntityLabels, t.RelationLabels
	return m, nil
}
