package completion

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/autoblm/autoblm-go/internal/labels"
	"github.com/autoblm/autoblm-go/internal/modelfolder"
	"github.com/autoblm/autoblm-go/internal/npy"
)

// The files of a model folder.
const (
	entityTableFile    = "entities.npy"
	relationTableFile  = "relations.npy"
	entityLabelsFile   = "entities.txt"
	relationLabelsFile = "relations.txt"
)

// Labelled is the embeddings of a model and the labels of their rows. With a
// description they are a model folder; models of other tasks have folders of the
// same form.
type Labelled struct {
	Dim int
	// Entities has a row for each label, and Relations RelationRows rows, all first
	// ones before all second ones.
	Entities, Relations          []float32
	EntityLabels, RelationLabels []string
	RelationRows                 int
}

// Files are those of a model folder, by name: model.json with the description, the
// tables as float32 NumPy arrays, the labels one a line in the order of the rows. What
// [LoadLabelled] would refuse is an error.
func (t Labelled) Files(description any) (map[string][]byte, error) {
	if err := t.check(); err != nil {
		return nil, fmt.Errorf("cannot save the model: %w", err)
	}
	text, err := modelfolder.Describe(description)
	if err != nil {
		return nil, err
	}
	return map[string][]byte{
		entityTableFile:         npy.Encode(t.Entities, len(t.Entities)/t.Dim, t.Dim),
		relationTableFile:       npy.Encode(t.Relations, len(t.Relations)/t.Dim, t.Dim),
		entityLabelsFile:        labels.Encode(t.EntityLabels),
		relationLabelsFile:      labels.Encode(t.RelationLabels),
		modelfolder.Description: text,
	}, nil
}

func (t Labelled) check() error {
	if err := checkTable("entity", t.Entities, t.EntityLabels, 1, t.Dim); err != nil {
		return err
	}
	return checkTable("relation", t.Relations, t.RelationLabels, t.RelationRows, t.Dim)
}

func checkTable(name string, table []float32, names []string, copies, dim int) error {
	if at, err := labels.Check(names); err != nil {
		return fmt.Errorf("%s label %d: %w", name, at+1, err)
	}
	if want := copies * len(names) * dim; len(table) != want {
		return fmt.Errorf("the %s table has %d numbers, but %d labels (%d rows each) and dim %d ask for %d", name, len(table), len(names), copies, dim, want)
	}
	return checkFinite(table, names, dim)
}

func checkFinite(table []float32, names []string, dim int) error {
	if at := firstNotFinite(table); at >= 0 {
		return fmt.Errorf("the embedding of %q holds %v: train the model again with a smaller learning rate", names[at/dim%len(names)], table[at])
	}
	return nil
}

// ReadDescription reads model.json of a model folder into a pointer and has it
// checked. Errors name the file.
func ReadDescription(dir string, description any, check func() error) error {
	return modelfolder.Read(dir, description, check)
}

// LoadLabelled reads the tables of a model folder, by whichever program they were
// written: they may be float64, and labels may end in CRLF. Errors name the file and
// what it lacks.
func LoadLabelled(dir string, dim, relationRows int) (Labelled, error) {
	t := Labelled{Dim: dim, RelationRows: relationRows}
	var err error
	if t.Entities, t.EntityLabels, err = loadTable(dir, entityTableFile, entityLabelsFile, 1, dim); err != nil {
		return t, err
	}
	t.Relations, t.RelationLabels, err = loadTable(dir, relationTableFile, relationLabelsFile, relationRows, dim)
	return t, err
}

func loadTable(dir, tableFile, labelsFile string, copies, dim int) ([]float32, []string, error) {
	names, err := labels.Read(filepath.Join(dir, labelsFile))
	if err != nil {
		return nil, nil, err
	}
	path := filepath.Join(dir, tableFile)
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, nil, fmt.Errorf("cannot read the model: %w", err)
	}
	table, err := npy.Read(content, copies*len(names), dim)
	if err == nil {
		err = checkFinite(table, names, dim)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	return table, names, nil
}
