package completion

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

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

// Save writes a model folder: model.json with the description, the tables as float32
// NumPy arrays, the labels one a line in the order of the rows. It makes the folder.
// What [LoadLabelled] would refuse is an error, and then, as on a full disk, a model
// that the folder had stays as it was.
func (t Labelled) Save(dir string, description any) error {
	if err := t.check(); err != nil {
		return fmt.Errorf("cannot save the model: %w", err)
	}
	text, err := json.MarshalIndent(description, "", "  ")
	if err != nil {
		return fmt.Errorf("cannot save the model: %w", err)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("cannot make the model folder: %w", err)
	}
	if err := wholefile.WriteAll(dir, []wholefile.File{
		{Name: entityTableFile, Content: encodeNPY(t.Entities, t.Dim)},
		{Name: relationTableFile, Content: encodeNPY(t.Relations, t.Dim)},
		{Name: entityLabelsFile, Content: encodeLabels(t.EntityLabels)},
		{Name: relationLabelsFile, Content: encodeLabels(t.RelationLabels)},
		{Name: descriptionFile, Content: append(text, '\n')},
	}); err != nil {
		return fmt.Errorf("cannot write the model: %w", err)
	}
	return nil
}

func (t Labelled) check() error {
	if err := checkTable("entity", t.Entities, t.EntityLabels, 1, t.Dim); err != nil {
		return err
	}
	return checkTable("relation", t.Relations, t.RelationLabels, t.RelationRows, t.Dim)
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

// ReadDescription reads model.json of a model folder into a pointer and has it
// checked. Errors name the file.
func ReadDescription(dir string, description any, check func() error) error {
	path := filepath.Join(dir, descriptionFile)
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s is not a model folder: it has no %s", dir, descriptionFile)
	}
	if err != nil {
		return fmt.Errorf("cannot read the model: %w", err)
	}
	err = json.Unmarshal(text, description)
	if err == nil {
		err = check()
	}
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
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
