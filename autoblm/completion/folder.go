package completion

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/internal/wholefile"
)

// The files of a model folder.
const (
	descriptionFile    = "model.json"
	entityTableFile    = "entities.npy"
	relationTableFile  = "relations.npy"
	entityLabelsFile   = "entities.txt"
	relationLabelsFile = "relations.txt"
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

// Save writes the model as a folder that other tools can read: model.json, the
// tables as float32 NumPy arrays, the labels one a line in the order of the
// rows. It makes the folder. What [Load] would refuse is an error, and then, as
// on a full disk, a model that the folder had stays as it was.
func (m *Model) Save(dir string) error {
	d := description{
		Structure: m.Structure, K: m.Structure.K(), Dim: m.Dim, Reciprocal: m.Reciprocal, Dataset: m.Dataset, Source: m.Source,
		Training: m.Training, Valid: m.Valid, Test: m.Test,
	}
	err := d.check()
	for _, table := range []struct {
		name    string
		numbers []float32
		labels  []string
		copies  int // of the labels
	}{{"entity", m.Entities, m.EntityLabels, 1}, {"relation", m.Relations, m.RelationLabels, m.directions()}} {
		if err == nil {
			err = checkTable(table.name, table.numbers, table.labels, table.copies, m.Dim)
		}
	}
	if err != nil {
		return fmt.Errorf("cannot save the model: %w", err)
	}
	text, err := json.MarshalIndent(d, "", "  ")
	if err != nil {
		return fmt.Errorf("cannot save the model: %w", err)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("cannot make the model folder: %w", err)
	}
	if err := wholefile.WriteAll(dir, []wholefile.File{
		{Name: entityTableFile, Content: encodeNPY(m.Entities, m.Dim)},
		{Name: relationTableFile, Content: encodeNPY(m.Relations, m.Dim)},
		{Name: entityLabelsFile, Content: encodeLabels(m.EntityLabels)},
		{Name: relationLabelsFile, Content: encodeLabels(m.RelationLabels)},
		{Name: descriptionFile, Content: append(text, '\n')},
	}); err != nil {
		return fmt.Errorf("cannot write the model: %w", err)
	}
	return nil
}

func checkTable(name string, table []float32, labels []string, copies, dim int) error {
	if at, err := checkLabels(labels); err != nil {
		return fmt.Errorf("%s label %d: %w", name, at+1, err)
	}
	if want := copies * len(labels) * dim; len(table) != want {
		return fmt.Errorf("the %s table has %d numbers, but %d labels (%d rows each) and dim %d ask for %d", name, len(table), len(labels), copies, dim, want)
	}
	return checkFinite(table, labels, dim)
}

func checkFinite(table []float32, labels []string, dim int) error {
	if at := firstNotFinite(table); at >= 0 {
		return fmt.Errorf("the embedding of %q holds %v: train the model again with a smaller learning rate", labels[at/dim%len(labels)], table[at])
	}
	return nil
}

// Load reads a model folder, by whichever program it was written: model.json
// needs structure (any text form but @file, or an array of arrays), k and dim;
// the tables may be float64; labels may end in CRLF. Errors name the file and
// what it lacks.
func Load(dir string) (*Model, error) {
	path := filepath.Join(dir, descriptionFile)
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s is not a model folder: it has no %s", dir, descriptionFile)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read the model: %w", err)
	}
	var d description
	err = json.Unmarshal(text, &d)
	if err == nil {
		err = d.check()
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if d.Training != nil {
		d.Training.Member.Structure = d.Structure
	}
	m := &Model{Dataset: d.Dataset, Source: d.Source, Training: d.Training, Valid: d.Valid, Test: d.Test}
	m.Structure, m.Dim, m.Reciprocal = d.Structure, d.Dim, d.Reciprocal
	if m.Entities, m.EntityLabels, err = loadTable(dir, entityTableFile, entityLabelsFile, 1, m.Dim); err != nil {
		return nil, err
	}
	if m.Relations, m.RelationLabels, err = loadTable(dir, relationTableFile, relationLabelsFile, m.directions(), m.Dim); err != nil {
		return nil, err
	}
	return m, nil
}

func loadTable(dir, tableFile, labelsFile string, copies, dim int) ([]float32, []string, error) {
	labels, err := readLabels(filepath.Join(dir, labelsFile))
	if err != nil {
		return nil, nil, err
	}
	path := filepath.Join(dir, tableFile)
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, nil, fmt.Errorf("cannot read the model: %w", err)
	}
	table, err := readNPY(content, copies*len(labels), dim)
	if err == nil {
		err = checkFinite(table, labels, dim)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	return table, labels, nil
}
