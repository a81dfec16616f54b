package kge

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"sync"

	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/internal/atomicfile"
	"github.com/autoblm/autoblm-go/internal/format"
	"github.com/autoblm/autoblm-go/internal/inputfile"
	"github.com/autoblm/autoblm-go/internal/labels"
	"github.com/autoblm/autoblm-go/internal/mapped"
	"github.com/autoblm/autoblm-go/internal/modelfolder"
	"github.com/autoblm/autoblm-go/internal/npy"
)

// The files of a model folder, next to model.json and those of its tables.
const (
	entityLabelsFile   = "entities.txt"
	relationLabelsFile = "relations.txt"
)

// description holds the contents of model.json. A reader needs Structure, K and Dim, or Form and
// Dim if the form has no structure, and Reciprocal if that is true.
type description struct {
	Form      form.Form           `json:"form"`
	Structure structure.Structure `json:"structure,omitzero"`
	K         int                 `json:"k,omitempty"`
	Dim       int                 `json:"dim"`
	// Reciprocal is true if each table of relations has rows for the reverse of each label,
	// after the rows for all labels.
	Reciprocal bool             `json:"reciprocal"`
	Tables     map[string][]int `json:"tables,omitempty"` // shapes, for other readers
	Dataset    string           `json:"dataset,omitempty"`
	Source     string           `json:"source,omitempty"`
	TrainedOn  []DataID         `json:"trained_on,omitempty"`
	Training   *Training        `json:"training,omitempty"`
	Position   *Position        `json:"position,omitempty"`
	Valid      json.RawMessage  `json:"valid,omitempty"`
	Test       json.RawMessage  `json:"test,omitempty"`
	// Ensemble has the members if the folder is an ensemble of models.
	Ensemble []string `json:"members,omitempty"`
}

// maxDim is far above any practical dimension and keeps table sizes from overflowing.
const maxDim = 1 << 20

// check returns an error if the description is not that of a model. It fills in a structure that
// follows from the form.
func (d *description) check() (err error) {
	if len(d.Ensemble) > 0 {
		return fmt.Errorf("this is an ensemble of %s, not one model: "+
			"use one of the folders in it, such as %s",
			format.Count(len(d.Ensemble), "model"), d.Ensemble[0])
	}
	if d.Training != nil && d.Training.Settings.Reciprocal && !d.Reciprocal {
		return errors.New("reciprocal is false, but true in the settings of training: " +
			"correct the wrong one")
	}
	if d.Form == form.Translated && !d.Reciprocal {
		return errors.New("reciprocal is false, but a translated model needs reverses of relations: " +
			`add "reciprocal": true and the rows of the reverses`)
	}
	if d.Form.HasNorm() && !d.Reciprocal {
		return errors.New("reciprocal is false, but a model with batch normalization needs reverses of " +
			`relations: add "reciprocal": true and the rows of the reverses`)
	}
	if d.Form.OneWay() && !d.Reciprocal {
		return fmt.Errorf("reciprocal is false, but %v needs reverses of relations: "+
			`add "reciprocal": true and the rows of the reverses`, d.Form)
	}
	k := d.Structure.K()
	if d.Form.HasStructure() && k == 0 {
		return errors.New(`the structure is missing: add "structure", such as "complex"`)
	}
	if d.Structure, err = d.Form.Spec().Structure(d.Structure); err != nil {
		return err
	}
	switch {
	case d.K != k:
		return fmt.Errorf("k is %d, but the structure has %d rows: correct the wrong one", d.K, k)
	case d.Dim < 1 || d.Dim%max(1, k) != 0:
		return fmt.Errorf("dim is %d: it must be a positive multiple of k, which is %d", d.Dim, k)
	case d.Dim > maxDim:
		return fmt.Errorf("dim is %d: at most %d is possible", d.Dim, maxDim)
	}
	return d.Form.CheckDim(d.Dim)
}

func (t labelledTable) file() string { return t.name + ".npy" }

// check returns an error if the table cannot be saved with its labels.
func (t labelledTable) check(table []float32) error {
	if at, err := labels.Check(t.labels); err != nil {
		return fmt.Errorf("%s label %d: %w", t.kind, at+1, err)
	}
	if want := t.totalRows() * t.columns; len(table) != want {
		return fmt.Errorf("the %s table has %d numbers, but %d labels (%d rows each) and "+
			"dim %d need %d", t.kind, len(table), len(t.labels), t.directions*t.rows,
			t.columns, want)
	}
	return t.checkFinite(table)
}

func (t labelledTable) checkFinite(table []float32) error {
	if index := firstNotFinite(table); index >= 0 {
		return fmt.Errorf("the embedding of %q has %v: "+
			"train the model again with a smaller learning rate",
			t.labels[index/(t.rows*t.columns)%len(t.labels)], table[index])
	}
	return nil
}

// Files returns the files of the model's folder by name: model.json, the tables as float32
// NumPy arrays, and the labels, one a line, in the order of the rows. It returns an error for a
// model that [Load] would refuse.
func (m *Model) Files() (map[string][]byte, error) {
	d, err := m.describe()
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	for i, t := range m.layout() {
		files[t.file()] = npy.Encode(m.All()[i], t.totalRows(), t.columns)
	}
	files[entityLabelsFile] = labels.Encode(m.EntityLabels)
	files[relationLabelsFile] = labels.Encode(m.RelationLabels)
	return files, modelfolder.Describe(files, d)
}

// describe returns the description of a model that [Load] would not refuse.
func (m *Model) describe() (description, error) {
	d := description{
		Form: m.Form, Structure: m.Structure, K: m.Structure.K(), Dim: m.Dim,
		Reciprocal: m.Reciprocal, Tables: map[string][]int{}, Dataset: m.Dataset,
		Source: m.Source, TrainedOn: m.TrainedOn, Training: m.Training, Position: m.Position,
		Valid: m.Valid, Test: m.Test,
	}
	if err := d.check(); err != nil {
		return d, fmt.Errorf("cannot save the model: %w", err)
	}
	for i, t := range m.layout() {
		if err := t.check(m.All()[i]); err != nil {
			return d, fmt.Errorf("cannot save the model: %w", err)
		}
		d.Tables[t.name] = []int{t.totalRows(), t.columns}
	}
	return d, nil
}

// Save writes the model as a folder that other programs can read; see [Model.Files]. It
// creates the folder. After an error, such as a full disk, a model that was in the folder is
// unchanged.
func (m *Model) Save(dir string) error {
	d, err := m.describe()
	if err != nil {
		return err
	}
	var files []atomicfile.File
	for i, t := range m.layout() { // in parts, because an encoded table may not fit into memory
		files = append(files, atomicfile.File{Name: t.file(), Write: func(w io.Writer) error {
			return npy.Write(w, mapped.Parts(m.All()[i]), t.totalRows(), t.columns)
		}})
	}
	files = append(files,
		atomicfile.File{Name: entityLabelsFile, Content: labels.Encode(m.EntityLabels)},
		atomicfile.File{Name: relationLabelsFile, Content: labels.Encode(m.RelationLabels)})
	return modelfolder.WriteDescribed(dir, files, d)
}

// Load reads a model folder, which another program may have written. model.json needs
// structure (in any text form except @file, or an array of arrays), k and dim, or form and dim.
// It needs reciprocal if relations have reverses. Tables may be float64, and labels may end in
// CRLF. Files must match the checksums in model.json, if there are any.
func Load(dir string) (*Model, error) {
	return LoadFrom(dir, func(name string) ([]byte, error) {
		return inputfile.Read(filepath.Join(dir, name))
	})
}

// LoadFrom reads a model folder like [Load], but with a function that reads files, which two
// goroutines call at the same time. Errors name dir, if it is not empty.
func LoadFrom(dir string, readFile func(name string) ([]byte, error)) (*Model, error) {
	var d description
	read, err := modelfolder.ReadFrom(dir, readFile, &d, d.check)
	if err != nil {
		return nil, err
	}
	if d.Training != nil && d.Training.Member.Structure.K() == 0 && d.Training.Member.Form == form.Bilinear {
		d.Training.Member.Structure = d.Structure
	}
	m := &Model{
		Parameters: Parameters{
			Form: d.Form, Structure: d.Structure, Dim: d.Dim, Reciprocal: d.Reciprocal,
		},
		Dataset: d.Dataset, Source: d.Source, TrainedOn: d.TrainedOn, Training: d.Training,
		Position: d.Position, Valid: d.Valid, Test: d.Test,
	}
	// The entities take longest, so they are read and checked while the labels are parsed.
	read = readAhead(read, entityTable+".npy")
	if m.EntityLabels, err = readLabels(dir, entityLabelsFile, read); err != nil {
		return nil, err
	}
	if m.RelationLabels, err = readLabels(dir, relationLabelsFile, read); err != nil {
		return nil, err
	}
	var tables [][]float32
	for _, t := range m.layout() {
		table, err := t.read(dir, read)
		if err != nil {
			return nil, err
		}
		tables = append(tables, table)
	}
	m.Tables = TablesOf(tables)
	return m, nil
}

// readAhead returns a reader that has begun to read a file, in another goroutine.
func readAhead(read modelfolder.Reader, file string) modelfolder.Reader {
	ahead := sync.OnceValues(func() ([]byte, error) { return read(file) })
	go func() { _, _ = ahead() }() // the next call returns the error
	return func(name string) ([]byte, error) {
		if name == file {
			return ahead()
		}
		return read(name)
	}
}

func readLabels(dir, name string, read modelfolder.Reader) ([]string, error) {
	content, err := read(name)
	if err != nil {
		return nil, err
	}
	return labels.Parse(filepath.Join(dir, name), content)
}

// read reads a table from its file.
func (t labelledTable) read(dir string, read modelfolder.Reader) ([]float32, error) {
	content, err := read(t.file())
	if err != nil {
		return nil, err
	}
	table, err := npy.Read(content, t.totalRows(), t.columns)
	if err != nil && t.kind == "relation" && t.directions == 1 {
		if _, failed := npy.Read(content, 2*t.totalRows(), t.columns); failed == nil {
			err = fmt.Errorf(`%w: if the other half are the reverses of the relations, `+
				`add "reciprocal": true to %s`, err, modelfolder.Description)
		}
	}
	if err == nil {
		err = t.checkFinite(table)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(dir, t.file()), err)
	}
	return table, nil
}
