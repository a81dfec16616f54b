// Package modelfolder writes and reads the folders of models: a description in JSON, and
// beside it whatever files a model has.
package modelfolder

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"

	"github.com/autoblm/autoblm-go/internal/regular"
	"github.com/autoblm/autoblm-go/internal/wholefile"
)

// Description is the file without which a folder is no model.
const Description = "model.json"

// Describe is the content of a description.
func Describe(description any) ([]byte, error) {
	text, err := json.MarshalIndent(description, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("cannot save the model: %w", err)
	}
	return append(text, '\n'), nil
}

// Save writes the files of a model as [Write] does.
func Save(dir string, m interface {
	Files() (map[string][]byte, error)
}) error {
	files, err := m.Files()
	if err != nil {
		return err
	}
	return Write(dir, files)
}

// Write writes a model's files, by name, the description last. A new folder appears at
// once. After an error, as on a full disk, a model that the folder had stays as it was.
func Write(dir string, files map[string][]byte) error {
	var all []wholefile.File
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if name != Description {
			all = append(all, wholefile.File{Name: name, Content: files[name]})
		}
	}
	if err := wholefile.WriteFolder(dir, append(all, wholefile.File{Name: Description, Content: files[Description]})); err != nil {
		return fmt.Errorf("cannot write the model folder %s: %w", filepath.Clean(dir), err)
	}
	return nil
}

// Read reads the description into a pointer and has it checked. Errors name the file.
func Read(dir string, description any, check func() error) error {
	return ReadFrom(dir, func(name string) ([]byte, error) { return regular.Read(filepath.Join(dir, name)) }, description, check)
}

// ReadFrom is [Read] for files that need not be in a folder; dir names it in errors, if
// there is one. What the description keeps as [json.RawMessage] has no indents.
func ReadFrom(dir string, read func(name string) ([]byte, error), description any, check func() error) error {
	text, err := read(Description)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s is not a model folder: it has no %s", cmp.Or(dir, "this"), Description)
	}
	if err != nil {
		return fmt.Errorf("cannot read the model: %w", err)
	}
	var plain bytes.Buffer
	if err = json.Compact(&plain, text); err == nil {
		err = json.Unmarshal(plain.Bytes(), description)
	}
	if err == nil {
		err = check()
	}
	if err != nil {
		return fmt.Errorf("%s: %w", filepath.Join(dir, Description), err)
	}
	return nil
}
