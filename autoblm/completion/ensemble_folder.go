package completion

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/internal/inputfile"
	"github.com/autoblm/autoblm-go/internal/memory"
	"github.com/autoblm/autoblm-go/internal/modelfolder"
)

// ensembleDescription holds the contents of model.json of an ensemble. A reader needs only Members,
// the names of folders with complete models, and Weights.
type ensembleDescription struct {
	Members []string `json:"members"`
	// Dataset and Source are those of the member that was selected first.
	Dataset string           `json:"dataset,omitempty"`
	Source  string           `json:"source,omitempty"`
	Choice  *Choice          `json:"choice,omitempty"`
	Weights *RelationWeights `json:"weights,omitempty"`
	Valid   json.RawMessage  `json:"valid,omitempty"`
	Test    json.RawMessage  `json:"test,omitempty"`
}

func (d *ensembleDescription) check() error {
	if len(d.Members) == 0 {
		return fmt.Errorf(`not an ensemble: it has no "members"`)
	}
	for _, name := range d.Members {
		if !filepath.IsLocal(name) || name == "." || strings.ContainsAny(name, `/\`) {
			return fmt.Errorf("%q is not the name of a folder in the ensemble: correct it", name)
		}
	}
	return nil
}

// Files returns the files of the ensemble's folder by name: model.json, and the files of each
// member in its own folder.
func (e *Ensemble) Files() (map[string][]byte, error) {
	if len(e.Members) == 0 {
		return nil, errors.New("save the ensemble: it has no members")
	}
	if err := e.check(); err != nil {
		return nil, fmt.Errorf("save the ensemble: %w", err)
	}
	first := e.Models()[0]
	d := ensembleDescription{
		Dataset: first.Dataset, Source: first.Source, Choice: e.Choice, Weights: e.Weights,
		Valid: e.Valid, Test: e.Test,
	}
	all := map[string][]byte{}
	described := map[string][]byte{} // model.json has checksums of these only
	for _, m := range e.Members {
		files, err := m.Files()
		if err != nil {
			return nil, err
		}
		folder := modelfolder.MemberFolder(files[modelfolder.Description])
		d.Members = append(d.Members, folder)
		for name, content := range files {
			all[path.Join(folder, name)] = content
		}
		described[path.Join(folder, modelfolder.Description)] = files[modelfolder.Description]
	}
	if err := modelfolder.Describe(described, d); err != nil {
		return nil, err
	}
	all[modelfolder.Description] = described[modelfolder.Description]
	return all, nil
}

// Save writes the ensemble to a folder, as [kge.Model.Save] does.
func (e *Ensemble) Save(dir string) error {
	bytes := 0.0
	for _, m := range e.Members {
		bytes += 4 * float64(len(m.Entities))
	}
	defer memory.CollectGarbage(bytes)
	if err := modelfolder.Save(dir, e); err != nil {
		return err
	}
	return e.Calibration.saveAnew(dir)
}

// loadEnsemble reads an ensemble. Errors name the folder, if it is not empty.
func loadEnsemble(dir string, files modelfolder.Reader) (*Ensemble, error) {
	var d ensembleDescription
	read, err := modelfolder.ReadFrom(dir, files, &d, d.check)
	if err != nil {
		return nil, err
	}
	members := make([]*kge.Model, len(d.Members))
	for i, folder := range d.Members {
		members[i], err = kge.LoadFrom(filepath.Join(dir, folder), func(name string) ([]byte, error) {
			return read(path.Join(folder, name))
		})
		if err != nil {
			return nil, fmt.Errorf("a member of the ensemble: %w", err)
		}
	}
	e, indices, err := newEnsemble(members)
	if err == nil {
		err = (&Ensemble{Members: e.Members, Choice: d.Choice, Weights: d.Weights}).check()
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(dir, modelfolder.Description), err)
	}
	d.reorder(indices)
	e.Choice, e.Weights, e.Valid, e.Test = d.Choice, d.Weights, d.Valid, d.Test
	return e, nil
}

// reorder makes the choice and the weights, which are in the order of the listed members, follow the
// order of the ensemble. indices has the place there of each listed member.
func (d *ensembleDescription) reorder(indices []int) {
	if d.Choice != nil {
		for i, member := range d.Choice.Order {
			d.Choice.Order[i] = indices[member]
		}
	}
	if d.Weights == nil {
		return
	}
	lists := append(slices.Collect(maps.Values(d.Weights.ByRelation)), d.Weights.Shared)
	for _, weights := range lists {
		for i, weight := range slices.Clone(weights) {
			weights[indices[i]] = weight
		}
	}
}

// IsEnsemble reports whether the model.json of a folder describes an ensemble.
func IsEnsemble(dir string) bool {
	return isEnsemble(func(name string) ([]byte, error) {
		return inputfile.Read(filepath.Join(dir, name))
	})
}

func isEnsemble(files modelfolder.Reader) bool {
	var d struct{ Members []string }
	_, err := modelfolder.ReadFrom("", files, &d, func() error { return nil })
	return err == nil && len(d.Members) > 0
}
