package classify

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/internal/inputfile"
	"github.com/autoblm/autoblm-go/internal/labels"
	"github.com/autoblm/autoblm-go/internal/modelfolder"
	"github.com/autoblm/autoblm-go/internal/npy"
)

// TaskName identifies the task in model folders and studies.
const TaskName = "classify"

// description holds the contents of model.json.
type description struct {
	Task string `json:"task"`
	*Model
	Embedded int `json:"embedded"` // number of entities with an embedding
	// Structure, K and Dim repeat values of the member and the settings for other readers.
	Structure structure.Structure `json:"structure,omitzero"`
	K         int                 `json:"k,omitempty"`
	Dim       int                 `json:"dim"`
}

// labelFiles returns the files of labels, one a line.
func (m *Model) labelFiles() map[string]*[]string {
	files := map[string]*[]string{"relations.txt": &m.Relations, "classes.txt": &m.Classes}
	if len(m.Entities) > 0 { // possibly no entity has an embedding
		files["entities.txt"] = &m.Entities
	}
	return files
}

// Files returns the files of the model's folder by name: model.json, a NumPy array of float32 for
// each parameter, and the labels of entities, relations and classes, one a line. A model that
// [Load] would refuse is an error.
func (m *Model) Files() (map[string][]byte, error) {
	if err := m.check(); err != nil {
		return nil, fmt.Errorf("save the model: %w", err)
	}
	files := map[string][]byte{}
	for name, list := range m.labelFiles() {
		if at, err := labels.Check(*list); err != nil {
			return nil, fmt.Errorf("save the model: %s, line %d: %w", name, at+1, err)
		}
		files[name] = labels.Encode(*list)
	}
	for i, p := range m.Parameters() {
		if err := checkFinite(m.Tables[i]); err != nil {
			return nil, fmt.Errorf("save the model: %v: %w", p, err)
		}
		if p.Dims[0] > 0 {
			files[p.String()+".npy"] = npy.Encode(m.Tables[i], p.Dims...)
		}
	}
	return files, modelfolder.Describe(files, description{
		Task: TaskName, Model: m, Embedded: len(m.Entities), Structure: m.Member.Structure,
		K: m.Member.Structure.K(), Dim: m.Settings.Dim,
	})
}

// Save writes the model to a folder, which it creates; see [Model.Files]. After an error, as on a
// full disk, a previous model in the folder is unchanged.
func (m *Model) Save(dir string) error { return modelfolder.Save(dir, m) }

// IsModel reports whether a folder has a model of this package.
func IsModel(dir string) bool {
	var d struct{ Task string }
	content, err := inputfile.Read(filepath.Join(dir, modelfolder.Description))
	return err == nil && json.Unmarshal(content, &d) == nil && d.Task == TaskName
}

// ErrOtherTask reports a model that classifies no nodes.
var ErrOtherTask = errors.New("the model does not classify nodes")

// Load reads a folder that [Model.Save] wrote. Errors name the file and what is wrong.
func Load(dir string) (*Model, error) {
	return load(dir, func(name string) ([]byte, error) {
		return inputfile.Read(filepath.Join(dir, name))
	})
}

// loadFiles reads the result of [Model.Files].
func loadFiles(files map[string][]byte) (*Model, error) {
	return load("", modelfolder.FromFiles(files))
}

func load(dir string, files modelfolder.Reader) (*Model, error) {
	m := &Model{}
	d := description{Model: m}
	read, err := modelfolder.ReadFrom(dir, files, &d, func() error {
		if d.Task != TaskName {
			return ErrOtherTask
		}
		// A non-empty list makes labelFiles include the file of entities.
		m.Entities = make([]string, min(max(d.Embedded, 0), 1))
		return m.checkSettings()
	})
	if err != nil {
		return nil, err
	}
	for name, list := range m.labelFiles() {
		content, err := read(name)
		if err != nil {
			return nil, err
		}
		if *list, err = labels.Parse(filepath.Join(dir, name), content); err != nil {
			return nil, err
		}
	}
	if len(m.Entities) != d.Embedded {
		return nil, fmt.Errorf("%s has %d labels, not %d", filepath.Join(dir, "entities.txt"),
			len(m.Entities), d.Embedded)
	}
	for _, p := range m.Parameters() {
		if p.Dims[0] == 0 {
			m.Tables = append(m.Tables, nil)
			continue
		}
		content, err := read(p.String() + ".npy")
		if err != nil {
			return nil, err
		}
		table, err := npy.Read(content, p.Dims...)
		if err == nil {
			err = checkFinite(table)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", filepath.Join(dir, p.String()+".npy"), err)
		}
		m.Tables = append(m.Tables, table)
	}
	return m, nil
}

// check returns an error if the model is invalid.
func (m *Model) check() error {
	if err := m.checkSettings(); err != nil {
		return err
	}
	all := m.Parameters()
	if len(m.Tables) != len(all) {
		return fmt.Errorf("there are %d tables, but the encoder %v has %d parameters", len(m.Tables),
			m.Settings.Encoder, len(all))
	}
	for i, p := range all {
		if len(m.Tables[i]) != p.Size() {
			return fmt.Errorf("%v has %d numbers, not %d", p, len(m.Tables[i]), p.Size())
		}
	}
	return nil
}

func (m *Model) checkSettings() error {
	if m.Fingerprint == "" {
		return errors.New("the fingerprint of the graph is missing")
	}
	return validate(m.Settings, []Member{m.Member})
}

// checkFinite returns an error if a value is not finite.
func checkFinite(table []float32) error {
	isNotFinite := func(x float32) bool { return !isFinite(float64(x)) }
	if i := slices.IndexFunc(table, isNotFinite); i >= 0 {
		return fmt.Errorf(
			"number %d is %v: retrain the model with a smaller learning rate", i+1, table[i])
	}
	return nil
}
