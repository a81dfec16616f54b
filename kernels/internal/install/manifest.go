package install

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"github.com/autoblm/autoblm-go/internal/atomicfile"
)

// Manifest is what was installed, as far as it cannot be seen.
type Manifest struct {
	Library Library `json:"library"`
	// Specs are the files of the specs.
	Specs []string `json:"specs"`
	// Folders are those that were not there before.
	Folders folders `json:"folders"`
}

// ReadManifest reads what was installed. Where nothing was, the error is an
// [fs.ErrNotExist].
func ReadManifest(home Home) (Manifest, error) {
	content, err := os.ReadFile(home.manifest())
	if err != nil {
		return Manifest{}, err
	}
	var m Manifest
	if err := json.Unmarshal(content, &m); err != nil {
		return Manifest{}, fmt.Errorf("%s: %w", home.manifest(), err)
	}
	return m, nil
}

// previous is the manifest of an earlier installation, or an empty one.
func previous(home Home) (Manifest, error) {
	m, err := ReadManifest(home)
	if errors.Is(err, fs.ErrNotExist) {
		return Manifest{}, nil
	}
	return m, err
}

func (m *Manifest) write(home Home) error {
	slices.Sort(m.Specs)
	m.Specs = slices.Compact(m.Specs)
	slices.Sort(m.Folders)
	m.Folders = slices.Compact(m.Folders)
	content, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	return atomicfile.Write(home.manifest(), append(content, '\n'))
}
