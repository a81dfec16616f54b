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

// teamDescription is model.json of a team. Members, the names of folders within that are
// whole models, are all that a reader needs.
type teamDescription struct {
	Members []string        `json:"members"`
	Dataset string          `json:"dataset,omitempty"`
	Source  string          `json:"source,omitempty"`
	Choice  *Choice         `json:"choice,omitempty"`
	Valid   json.RawMessage `json:"valid,omitempty"`
	Test    json.RawMessage `json:"test,omitempty"`
}

func (d *teamDescription) check() error {
	if len(d.Members) == 0 {
		return fmt.Errorf(`this is no team: it has no "members"`)
	}
	for _, name := range d.Members {
		if !filepath.IsLocal(name) || name == "." || strings.ContainsAny(name, `/\`) {
			return fmt.Errorf("%q is no name of a folder within that of the team: correct it", name)
		}
	}
	return nil
}

// Files are those of the team's folder, by name: model.json, and in a folder for each
// member those of [kge.Model.Files].
func (t *Team) Files() (map[string][]byte, error) {
	if len(t.Members) == 0 {
		return nil, errors.New("cannot save the team: it has no members")
	}
	first := t.Members[0]
	d := teamDescription{Dataset: first.Dataset, Source: first.Source, Choice: t.Choice, Valid: t.Valid, Test: t.Test}
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

// Save writes the folder of the team as [kge.Model.Save] does.
func (t *Team) Save(dir string) error {
	bytes := 0.0
	for _, m := range t.Members {
		bytes += 4 * float64(len(m.Entities))
	}
	defer memory.Collect(bytes)
	return modelfolder.Save(dir, t)
}

// LoadTeam reads the folder of a team.
func LoadTeam(dir string) (*Team, error) {
	return loadTeam(dir, func(name string) ([]byte, error) { return inputfile.Read(filepath.Join(dir, filepath.FromSlash(name))) })
}

// LoadTeamFiles reads what [Team.Files] gave.
func LoadTeamFiles(files map[string][]byte) (*Team, error) {
	return loadTeam("", modelfolder.In(files))
}

func loadTeam(dir string, files modelfolder.Reader) (*Team, error) {
	var d teamDescription
	read, err := modelfolder.ReadFrom(dir, files, &d, d.check)
	if err != nil {
		return nil, err
	}
	members := make([]*kge.Model, len(d.Members))
	for i, folder := range d.Members {
		members[i], err = kge.LoadFrom(filepath.Join(dir, folder), func(name string) ([]byte, error) { return read(path.Join(folder, name)) })
		if err != nil {
			return nil, fmt.Errorf("a member of the team: %w", err)
		}
	}
	t, err := NewTeam(members)
	if err == nil && d.Choice != nil {
		err = d.Choice.check(len(t.Members))
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(dir, modelfolder.Description), err)
	}
	t.Choice, t.Valid, t.Test = d.Choice, d.Valid, d.Test
	return t, nil
}

// IsTeam says whether a folder describes itself as that of a team.
func IsTeam(dir string) bool {
	return isTeam(func(name string) ([]byte, error) { return inputfile.Read(filepath.Join(dir, name)) })
}

func isTeam(files modelfolder.Reader) bool {
	var d struct{ Members []string }
	_, err := modelfolder.ReadFrom("", files, &d, func() error { return nil })
	return err == nil && len(d.Members) > 0
}
