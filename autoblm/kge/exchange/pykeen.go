package exchange

import (
	"cmp"
	"compress/gzip"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/internal/torchfile"
)

// pykeenClasses are the classes in a model of PyKEEN. They become objects that hold attributes.
var pykeenClasses = []string{"pykeen.", "torch.", "builtins.getattr", "functools.partial"}

// The names of the embeddings in the state_dict of a model of PyKEEN.
const (
	pykeenEntities  = "entity_representations.0._embeddings.weight"
	pykeenRelations = "relation_representations.0._embeddings.weight"
)

// importPyKEEN reads a model that PyKEEN wrote: the folder of save_to_directory, its
// trained_model.pkl, or a file of torch.save(model.state_dict()).
func importPyKEEN(o ImportOptions) (*kge.Model, error) {
	path := o.File
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		path = filepath.Join(path, "trained_model.pkl")
	}
	file, err := torchfile.Open(path, pykeenClasses...)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	state, _ := file.Value.(*torchfile.Dict)
	name := o.Structure
	if model, isModel := file.Value.(*torchfile.Object); isModel {
		state = &torchfile.Dict{}
		for _, name := range []string{pykeenEntities, pykeenRelations} {
			state.Set(name, parameter(model, name))
		}
		if class, found := strings.CutPrefix(model.Class, "pykeen.models."); found && name == "" {
			name = strings.ToLower(class[strings.LastIndex(class, ".")+1:])
		}
	}
	var s source
	if s.entities, err = tensor(state, pykeenEntities); err == nil {
		s.relations, err = tensor(state, pykeenRelations)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if name == "" {
		return nil, errors.New("a state_dict of PyKEEN does not say its model: set structure to " +
			"complex or distmult")
	}
	folder := o.Dataset
	if folder == "" {
		folder = filepath.Join(filepath.Dir(path), "training_triples")
	}
	if s.entityLabels, err = pykeenLabels(folder, "entity_to_id.tsv.gz"); err != nil {
		return nil, err
	}
	if s.relationLabels, err = pykeenLabels(folder, "relation_to_id.tsv.gz"); err != nil {
		return nil, err
	}
	s.pairs = true
	return s.model(path, name)
}

// parameter returns a parameter of a module by its name in the state_dict, nil if there is none. It
// does not visit other modules: in a damaged file they could contain each other.
func parameter(module *torchfile.Object, name string) any {
	path := strings.Split(name, ".")
	last := len(path) - 1
	for _, key := range path[:last] {
		modules, _ := module.Attribute("_modules").(*torchfile.Dict)
		inner, isModule := modules.Get(key).(*torchfile.Object)
		if !isModule {
			return nil
		}
		module = inner
	}
	parameters, _ := module.Attribute("_parameters").(*torchfile.Dict)
	return parameters.Get(path[last])
}

// pykeenLabels reads the labels by id of a triples factory.
func pykeenLabels(folder, name string) ([]string, error) {
	path := filepath.Join(folder, name)
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("there is no %s with the labels: set dataset to its folder, "+
			"which PyKEEN's training.to_path_binary(FOLDER) writes", path)
	}
	if err != nil {
		return nil, err
	}
	defer file.Close()
	content, err := gzip.NewReader(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	in := csv.NewReader(content) // pandas writes it
	in.Comma, in.LazyQuotes = '\t', true
	ids := idList{}
	for first := true; err == nil; first = false {
		var row []string
		if row, err = in.Read(); err == nil && !first {
			err = ids.add(row)
		}
	}
	if err == io.EOF {
		err = nil
	}
	all, failed := ids.labels()
	if err = cmp.Or(err, failed); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return all, nil
}
