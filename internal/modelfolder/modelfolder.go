// Package modelfolder reads and writes folders of models: a description in JSON and other files.
package modelfolder

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/autoblm/autoblm-go/internal/atomicfile"
	"github.com/autoblm/autoblm-go/internal/inputfile"
)

// Description is the name of the file that every model has.
const Description = "model.json"

// tableEnding ends the names of tables of numbers.
const tableEnding = ".npy"

// InSearch is the name of the model's folder in the folder of a search.
const InSearch = "model"

// Find returns the folder of a model: dir, or the folder of the model in that of a search.
func Find(dir string) string {
	inner := filepath.Join(dir, InSearch)
	if isFile(filepath.Join(dir, Description)) || !isFile(filepath.Join(inner, Description)) {
		return dir
	}
	return inner
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.IsDir()
}

// Describe adds a description to the files of a model. Its field "checksums" has the SHA-256 of
// each file in hexadecimal digits, by name.
func Describe(files map[string][]byte, description any) (err error) {
	sums := map[string]string{}
	for name, content := range files {
		sums[name] = checksum(content)
	}
	files[Description], err = describe(sums, description)
	return err
}

// describe returns a description with checksums by name, if there are any.
func describe(sums map[string]string, description any) ([]byte, error) {
	fields, err := json.Marshal(description)
	if err != nil {
		return nil, fmt.Errorf("cannot save the model: %w", err)
	}
	if len(sums) > 0 {
		last, err := json.Marshal(sums)
		if err != nil {
			return nil, err
		}
		fields = slices.Concat(fields[:len(fields)-1], []byte(`,"checksums":`), last, []byte("}"))
	}
	var text bytes.Buffer
	err = json.Indent(&text, fields, "", "  ")
	text.WriteByte('\n')
	return text.Bytes(), err
}

func checksum(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
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

// WriteDescribed writes files that make themselves, and a description of them, like [Write].
func WriteDescribed(dir string, files []atomicfile.File, description any) error {
	sums := map[string]string{}
	for _, f := range files {
		sum := sha256.New()
		if err := f.WriteContent(sum); err != nil {
			return err
		}
		sums[f.Name] = hex.EncodeToString(sum.Sum(nil))
	}
	content, err := describe(sums, description)
	if err != nil {
		return err
	}
	files = append(files, atomicfile.File{Name: Description, Content: content})
	return writeError(dir, writeOwn(dir, files))
}

// writeOwn writes the files of a model without members.
func writeOwn(dir string, files []atomicfile.File) error {
	if err := refuseData(dir); err != nil {
		return err
	}
	if err := atomicfile.WriteFolder(dir, files); err != nil {
		return err
	}
	return atomicfile.WithLock(dir, func() error { return removeMembers(dir, nil) })
}

func writeError(dir string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("cannot write the model folder %s: %w", filepath.Clean(dir), err)
}

// Write writes a model's files, by name, the description last. A new folder appears complete. After
// an error, such as a full disk, an existing model is unchanged. It is an error to replace the labels
// of a data set. Files in subfolders, such as "member-0123456789abcdef/model.json", are members:
// models with the folder name of [MemberFolder].
func Write(dir string, files map[string][]byte) error {
	own, members := splitMembers(files)
	if len(members) > 0 {
		return writeError(dir, writeWithMembers(dir, own, members))
	}
	return writeError(dir, writeOwn(dir, descriptionLast(own)))
}

// descriptionLast returns the files of a model in order, with tables first and the description last:
// a folder in which a kill left a part of them is then no data set.
func descriptionLast(files map[string][]byte) (all []atomicfile.File) {
	for _, isTable := range []bool{true, false} {
		for _, name := range slices.Sorted(maps.Keys(files)) {
			if name != Description && isTable == (filepath.Ext(name) == tableEnding) {
				all = append(all, atomicfile.File{Name: name, Content: files[name]})
			}
		}
	}
	return append(all, atomicfile.File{Name: Description, Content: files[Description]})
}

// Reader reads a file of a model by its name. The caller may change the content.
type Reader func(name string) ([]byte, error)

// FromFiles returns a reader that copies files in memory.
func FromFiles(files map[string][]byte) Reader {
	return func(name string) ([]byte, error) {
		content, exists := files[name]
		if !exists {
			return nil, fmt.Errorf("%s: %w", name, fs.ErrNotExist)
		}
		return bytes.Clone(content), nil
	}
}

// Read reads the description into a pointer and calls check. Errors name the file. The reader that
// it returns refuses files whose checksums differ from those in the description, if it has any.
func Read(dir string, description any, check func() error) (Reader, error) {
	read := func(name string) ([]byte, error) { return inputfile.Read(filepath.Join(dir, name)) }
	return ReadFrom(dir, read, description, check)
}

// ReadFrom reads like [Read] but with any reader. dir is only for errors, and may be empty. A field
// of type [json.RawMessage] gets compact JSON.
func ReadFrom(dir string, read Reader, description any, check func() error) (Reader, error) {
	text, err := read(Description)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, inputfile.NotExist("%s is not a model folder: it has no %s",
			cmp.Or(dir, "this"), Description)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read the model: %w", err)
	}
	var sums struct {
		Checksums map[string]string `json:"checksums"`
	}
	var plain bytes.Buffer
	if err = json.Compact(&plain, text); err == nil {
		err = json.Unmarshal(plain.Bytes(), description)
	}
	if err == nil {
		err = json.Unmarshal(plain.Bytes(), &sums)
	}
	if err == nil {
		err = check()
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(dir, Description), err)
	}
	return func(name string) ([]byte, error) {
		content, err := read(name)
		if err != nil {
			return nil, fmt.Errorf("cannot read the model: %w", err)
		}
		if sum := sums.Checksums[name]; sum != "" && !strings.EqualFold(sum, checksum(content)) {
			return nil, fmt.Errorf("%s is damaged, or of another model: its SHA-256 is not that of"+
				" %s; restore a copy or train again (if it was changed on purpose, remove its"+
				" checksum there)", filepath.Join(dir, name), Description)
		}
		return content, nil
	}, nil
}
