package completion

import (
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/internal/inputfile"
	"github.com/autoblm/autoblm-go/internal/memory"
	"github.com/autoblm/autoblm-go/internal/modelfolder"
)

// ensembleDescription is model.json of an ensemble. Members, the names of folders within that are
// whole models, are all that a reader needs.
type ensembleDescription struct {
	Members []string        `json:"members"`
	Dataset string          `json:"dataset,omitempty"`
	Source  string          `json:"source,omitempty"`
	Choice  *Choice         `json:"choice,omitempty"`
	Valid   json.RawMessage `json:"valid,omitempty"`
	Test    json.RawMessage `json:"test,omitempty"`
}

func (d *ensembleDescription) check() error {
	if len(d.Members) == 0 {
		return fmt.Errorf(`this is no ensemble: it has no "members"`)
	}
	for _, name := range d.Members {
		if !filepath.IsLocal(name) || name == "." || strings.ContainsAny(name, `/\`) {
			return fmt.Errorf("%q is no name of a folder within that of the ensemble: correct it", name)
		}
	}
	return nil
}

// Files are those of the ensemble's folder, by name: model.json, and in a folder for each
// member those of [kge.Model.Files].
func (t *Ensemble) Files() (map[string][]byte, error) {
	if len(t.Members) == 0 {
		return nil, errors.New("cannot save the ensemble: it has no members")
	}
	first := t.Members[0]
	d := ensembleDescription{Dataset: first.Dataset, Source: first.Source, Choice: t.Choice, Valid: t.Valid, Test: t.Test}
	all, described := map[string][]byte{}, map[string][]byte{}
	for _, m := range t.Members {
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

// Save writes the folder of the ensemble as [kge.Model.Save] does.
func (t *Ensemble) Save(dir string) error {
	bytes := 0.0
	for _, m := range t.Members {
		bytes += 4 * float64(len(m.Entities))
	}
	defer memory.CollectGarbage(bytes)
	return modelfolder.Save(dir, t)
}

// LoadEnsemble reads the folder of an ensemble.
func LoadEnsemble(dir string) (*Ensemble, error) {
	return loadEnsemble(dir, func(name string) ([]byte, error) { return inputfile.Read(filepath.Join(dir, filepath.FromSlash(name))) })
}

// LoadEnsembleFiles reads what [Ensemble.Files] gave.
func LoadEnsembleFiles(files map[string][]byte) (*Ensemble, error) {
	return loadEnsemble("", modelfolder.FromFiles(files))
}

func loadEnsemble(dir string, files modelfolder.Reader) (*Ensemble, error) {
	var d ensembleDescription
	read, err := modelfolder.ReadFrom(dir, files, &d, d.check)
	if err != nil {
		return nil, err
	}
	members := make([]*kge.Model, len(d.Members))
	for i, folder := range d.Members {
		members[i], err = kge.LoadFrom(filepath.Join(dir, folder), func(name string) ([]byte, error) { return read(path.Join(folder, name)) })
		if err != nil {
			return nil, fmt.Errorf("a member of the ensemble: %w", err)
		}
	}
	t, err := NewEnsemble(members)
	if err == nil && d.Choice != nil {
		err = d.Choice.check(len(t.Members))
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(dir, modelfolder.Description), err)
	}
	t.Choice, t.Valid, t.Test = d.Choice, d.Valid, d.Test
	return t, nil
}

// IsEnsemble says whether a folder describes itself as that of an ensemble.
func IsEnsemble(dir string) bool {
	return isEnsemble(func(name string) ([]byte, error) { return inputfile.Read(filepath.Join(dir, name)) })
}

func isEnsemble(files modelfolder.Reader) bool {
	var d struct{ Members []string }
	_, err := modelfolder.ReadFrom("", files, &d, func() error { return nil })
	return err == nil && len(d.Members) > 0
}
