package kge

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/internal/format"
	"github.com/autoblm/autoblm-go/internal/inputfile"
	"github.com/autoblm/autoblm-go/internal/labels"
	"github.com/autoblm/autoblm-go/internal/memory"
	"github.com/autoblm/autoblm-go/internal/modelfolder"
	"github.com/autoblm/autoblm-go/internal/npy"
)

// The files of a model folder, beside those of its tables.
const (
	entityLabels   = "entities.txt"
	relationLabels = "relations.txt"
	entityTable    = "entities"
)

// description is model.json. Structure, K and Dim are all that a reader needs, or Form
// and Dim where the form has no structure, and Reciprocal where that is true.
type description struct {
	Form *form.Form `json:"form"`
	// Model is what Form was called in models of paths.
	Model     *form.Form          `json:"model,omitempty"`
	Structure structure.Structure `json:"structure,omitzero"`
	K         int                 `json:"k,omitempty"`
	Dim       int                 `json:"dim"`
	// Reciprocal says that a table of relations goes on, after the rows for each label,
	// with those for the reverse of each. Folders written before have it in Training only.
	Reciprocal *bool            `json:"reciprocal"`
	Tables     map[string][]int `json:"tables,omitempty"` // shapes, for other readers
	Dataset    string           `json:"dataset,omitempty"`
	Source     string           `json:"source,omitempty"`
	Training   *Training        `json:"training,omitempty"`
	Reached    *Reached         `json:"reached,omitempty"`
	Valid      json.RawMessage  `json:"valid,omitempty"`
	Test       json.RawMessage  `json:"test,omitempty"`
	// Ensemble are the members of what is no model but an ensemble of models.
	Ensemble []string `json:"members,omitempty"`
}

// mostDim is far above any use, and keeps the sizes of tables from overflowing.
const mostDim = 1 << 20

func (d *description) check() (err error) {
	if len(d.Ensemble) > 0 {
		return fmt.Errorf("this is an ensemble of %s, where one model is asked for: name the folder of one of them, as %s", format.Count(len(d.Ensemble), "model"), d.Ensemble[0])
	}
	if d.Form == nil {
		d.Form = cmp.Or(d.Model, new(form.Form))
	}
	if d.Model != nil && *d.Model != *d.Form {
		return fmt.Errorf("form is %v, but model, which is another name for it, is %v: remove the wrong one", d.Form, d.Model)
	}
	trained := d.Training != nil && d.Training.Settings.Reciprocal
	if d.Reciprocal == nil {
		d.Reciprocal = &trained
	}
	if trained && !*d.Reciprocal {
		return errors.New("reciprocal is false, but the settings of training say true: correct the wrong one")
	}
	k := d.Structure.K()
	if *d.Form == form.Bilinear && k == 0 {
		return errors.New(`the structure is missing: add "structure", such as "complex"`)
	}
	if d.Structure, err = d.Form.Spec().Structure(d.Structure); err != nil {
		return err
	}
	switch {
	case d.K != k:
		return fmt.Errorf("k is %d, but the structure has %d rows: one of them is wrong", d.K, k)
	case d.Dim < 1 || d.Dim%max(1, k) != 0:
		return fmt.Errorf("dim is %d: it must be a positive multiple of k, which is %d", d.Dim, k)
	case d.Dim > mostDim:
		return fmt.Errorf("dim is %d: at most %d is possible", d.Dim, mostDim)
	}
	return nil
}

// tableFile is a table of a model with what its rows are called.
type tableFile struct {
	name, what    string
	labels        []string
	rows, columns int // of each label; columns of a row
}

// layout is which tables a model has.
func (m *Model) layout() []tableFile {
	all := []tableFile{{entityTable, "entity", m.EntityLabels, 1, m.Dim}}
	for _, t := range m.Specs() {
		all = append(all, tableFile{t.Name, "relation", m.RelationLabels, m.directions() * t.Rows, t.Columns})
	}
	return all
}

func (t tableFile) file() string { return t.name + ".npy" }

func (t tableFile) check(table []float32) error {
	if at, err := labels.Check(t.labels); err != nil {
		return fmt.Errorf("%s label %d: %w", t.what, at+1, err)
	}
	if want := t.rows * len(t.labels) * t.columns; len(table) != want {
		return fmt.Errorf("the %s table has %d numbers, but %d labels (%d rows each) and dim %d ask for %d", t.what, len(table), len(t.labels), t.rows, t.columns, want)
	}
	return t.checkFinite(table)
}

func (t tableFile) checkFinite(table []float32) error {
	if at := firstNotFinite(table); at >= 0 {
		return fmt.Errorf("the embedding of %q holds %v: train the model again with a smaller learning rate", t.labels[at/t.columns%len(t.labels)], table[at])
	}
	return nil
}

// Files are those of the model's folder, by name: model.json, the tables as float32
// NumPy arrays, the labels one a line in the order of the rows. What [Load] would
// refuse is an error.
func (m *Model) Files() (map[string][]byte, error) {
	d := description{
		Form: &m.Form, Structure: m.Structure, K: m.Structure.K(), Dim: m.Dim, Reciprocal: &m.Reciprocal, Tables: map[string][]int{},
		Dataset: m.Dataset, Source: m.Source, Training: m.Training, Reached: m.Reached, Valid: m.Valid, Test: m.Test,
	}
	if m.Training != nil && len(m.Training.Own) > 0 {
		d.Model = &m.Form
	}
	if err := d.check(); err != nil {
		return nil, fmt.Errorf("cannot save the model: %w", err)
	}
	files := map[string][]byte{}
	for i, t := range m.layout() {
		table := m.all()[i]
		if err := t.check(table); err != nil {
			return nil, fmt.Errorf("cannot save the model: %w", err)
		}
		d.Tables[t.name] = []int{len(table) / t.columns, t.columns}
		files[t.file()] = npy.Encode(table, len(table)/t.columns, t.columns)
	}
	files[entityLabels], files[relationLabels] = labels.Encode(m.EntityLabels), labels.Encode(m.RelationLabels)
	return files, modelfolder.Describe(files, d)
}

// Save writes the model as a folder that other tools can read; see [Model.Files]. It
// makes the folder. After an error, as on a full disk, a model that the folder had stays
// as it was.
func (m *Model) Save(dir string) error {
	defer memory.Collect(4 * float64(len(m.Entities))) // of the bytes of the files
	return modelfolder.Save(dir, m)
}

// Load reads a model folder, by whichever program it was written: model.json
// needs structure (any text form but @file, or an array of arrays), k and dim, or form and
// dim, and reciprocal where relations have reverses; tables may be float64, and labels may end in CRLF. Errors name the file and
// what it lacks. A file that is not that of a checksum in model.json is refused; none are needed.
func Load(dir string) (*Model, error) {
	return LoadFrom(dir, func(name string) ([]byte, error) { return inputfile.Read(filepath.Join(dir, name)) })
}

// LoadFiles reads what [Model.Files] gave.
func LoadFiles(files map[string][]byte) (*Model, error) {
	return LoadFrom("", modelfolder.In(files))
}

// LoadFrom is [Load] for files that need not be in a folder; dir names it in errors, if
// there is one.
func LoadFrom(dir string, files func(name string) ([]byte, error)) (*Model, error) {
	var d description
	read, err := modelfolder.ReadFrom(dir, files, &d, d.check)
	if err != nil {
		return nil, err
	}
	if d.Training != nil && d.Training.Member.Structure.K() == 0 && *d.Form == form.Bilinear {
		d.Training.Member.Structure = d.Structure
	}
	m := &Model{Dataset: d.Dataset, Source: d.Source, Training: d.Training, Reached: d.Reached, Valid: d.Valid, Test: d.Test}
	m.Form, m.Structure, m.Dim, m.Reciprocal = *d.Form, d.Structure, d.Dim, *d.Reciprocal
	for name, names := range map[string]*[]string{entityLabels: &m.EntityLabels, relationLabels: &m.RelationLabels} {
		content, err := read(name)
		if err != nil {
			return nil, err
		}
		if *names, err = labels.Parse(filepath.Join(dir, name), content); err != nil {
			return nil, err
		}
	}
	var tables [][]float32
	for _, t := range m.layout() {
		content, err := read(t.file())
		if err != nil {
			return nil, err
		}
		rows := t.rows * len(t.labels)
		table, err := npy.Read(content, rows, t.columns)
		if _, twice := npy.Read(content, 2*rows, t.columns); err != nil && twice == nil && t.name != entityTable && !m.Reciprocal {
			err = fmt.Errorf(`%w: if the other half are the reverses of the relations, add "reciprocal": true to %s`, err, modelfolder.Description)
		}
		if err == nil {
			err = t.checkFinite(table)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", filepath.Join(dir, t.file()), err)
		}
		tables = append(tables, table)
	}
	m.Tables = tablesOf(tables)
	return m, nil
}
