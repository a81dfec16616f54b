package completion

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/sbinet/npyio/npy"
)

// The files of a model folder.
const (
	descriptionFile    = "model.json"
	entityTableFile    = "entities.npy"
	relationTableFile  = "relations.npy"
	entityLabelsFile   = "entities.txt"
	relationLabelsFile = "relations.txt"
)

// description is model.json. Structure, K and Dim are all that a reader needs.
type description struct {
	Structure string      `json:"structure"`
	K         int         `json:"k"`
	Dim       int         `json:"dim"`
	Dataset   string      `json:"dataset,omitempty"`
	Training  *Training   `json:"training,omitempty"`
	Valid     *Evaluation `json:"valid,omitempty"`
	Test      *Evaluation `json:"test,omitempty"`
}

// Save writes the model as a folder that other tools can read: model.json, the
// tables as float32 NumPy arrays, the labels one a line in the order of the
// rows. It makes the folder, and replaces each file whole.
func (m *Model) Save(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("cannot make the model folder: %w", err)
	}
	text, err := json.MarshalIndent(description{
		Structure: m.Structure.String(), K: m.Structure.K(), Dim: m.Dim, Dataset: m.Dataset,
		Training: m.Training, Valid: m.Valid, Test: m.Test,
	}, "", "  ")
	if err != nil {
		return err
	}
	var entities, relations bytes.Buffer
	if err := errors.Join(npy.Write(&entities, rows(m.Entities, m.Dim)), npy.Write(&relations, rows(m.Relations, m.Dim))); err != nil {
		return err
	}
	// model.json comes last: a folder that has one is whole.
	for _, file := range []struct {
		name    string
		content []byte
	}{
		{entityTableFile, entities.Bytes()},
		{relationTableFile, relations.Bytes()},
		{entityLabelsFile, lines(m.EntityLabels)},
		{relationLabelsFile, lines(m.RelationLabels)},
		{descriptionFile, append(text, '\n')},
	} {
		if err := replaceFile(filepath.Join(dir, file.name), file.content); err != nil {
			return fmt.Errorf("cannot write the model: %w", err)
		}
	}
	return nil
}

// Load reads a model folder, by whichever program it was written. Errors name
// the file and what it lacks.
func Load(dir string) (*Model, error) {
	path := filepath.Join(dir, descriptionFile)
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s is not a model folder: it has no %s", dir, descriptionFile)
	}
	if err != nil {
		return nil, err
	}
	var d description
	if err := json.Unmarshal(text, &d); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	m := &Model{Dataset: d.Dataset, Training: d.Training, Valid: d.Valid, Test: d.Test}
	if strings.HasPrefix(strings.TrimSpace(d.Structure), "@") {
		return nil, fmt.Errorf("%s: the structure must stand in the file itself, not in another", path)
	}
	if m.Structure, err = structure.Parse(d.Structure); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	m.Dim = d.Dim
	switch k := m.Structure.K(); {
	case d.K != k:
		return nil, fmt.Errorf("%s: k is %d, but the structure has %d rows", path, d.K, k)
	case d.Dim < 1 || d.Dim%k != 0:
		return nil, fmt.Errorf("%s: dim is %d: it must be a positive multiple of k, which is %d", path, d.Dim, k)
	}
	if m.Entities, m.EntityLabels, err = loadTable(dir, entityTableFile, entityLabelsFile, m.Dim); err != nil {
		return nil, err
	}
	if m.Relations, m.RelationLabels, err = loadTable(dir, relationTableFile, relationLabelsFile, m.Dim); err != nil {
		return nil, err
	}
	if !m.finite() {
		return nil, fmt.Errorf("%s: the embeddings have numbers that are not finite: train the model again with a smaller learning rate", dir)
	}
	return m, nil
}

func loadTable(dir, tableFile, labelsFile string, dim int) ([]float32, []string, error) {
	labels, err := readLabels(filepath.Join(dir, labelsFile))
	if err != nil {
		return nil, nil, err
	}
	path := filepath.Join(dir, tableFile)
	file, err := os.Open(path)
	if err != nil {
		return nil, nil, fmt.Errorf("cannot read the model: %w", err)
	}
	defer file.Close()
	table, err := readNPY(file, len(labels), dim)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	return table, labels, nil
}

// readNPY reads a row-major array of float32 or float64 of shape [rows, columns].
func readNPY(r io.Reader, rows, columns int) (table []float32, err error) {
	defer func() { // the reader of the format trusts its header
		if problem := recover(); problem != nil {
			err = fmt.Errorf("not a NumPy array file: %v", problem)
		}
	}()
	const longestHeader = 1 << 16
	buffered := bufio.NewReader(r)
	if start, err := buffered.Peek(12); err == nil && start[6] >= 2 && binary.LittleEndian.Uint32(start[8:]) > longestHeader {
		return nil, fmt.Errorf("not a NumPy array file: its header is too long")
	}
	reader, err := npy.NewReader(buffered)
	if err != nil {
		return nil, err
	}
	d := reader.Header.Descr
	if len(d.Shape) != 2 || d.Shape[0] != rows || d.Shape[1] != columns {
		return nil, fmt.Errorf("the array has shape %v, but the labels and the dim ask for [%d %d]", d.Shape, rows, columns)
	}
	if d.Fortran {
		return nil, fmt.Errorf("the array is in column order: save it with numpy.ascontiguousarray")
	}
	switch d.Type {
	case "<f4":
		err = reader.Read(&table)
	case "<f8":
		var wide []float64
		err = reader.Read(&wide)
		for _, x := range wide {
			table = append(table, float32(x))
		}
	default:
		return nil, fmt.Errorf("the array has numbers of type %q: float32 (<f4) is needed", d.Type)
	}
	if err == nil && len(table) != rows*columns {
		err = io.ErrUnexpectedEOF
	}
	return table, err
}

func readLabels(path string) ([]string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("cannot read the model: %w", err)
	}
	labels := strings.Split(strings.TrimSuffix(strings.ReplaceAll(string(text), "\r\n", "\n"), "\n"), "\n")
	seen := make(map[string]int, len(labels))
	for i, label := range labels {
		if label == "" {
			return nil, fmt.Errorf("%s:%d: an empty line, where a label is expected", path, i+1)
		}
		if first, again := seen[label]; again {
			return nil, fmt.Errorf("%s:%d: the label %q stands in line %d already", path, i+1, label, first)
		}
		seen[label] = i + 1
	}
	return labels, nil
}

// replaceFile writes a file whole or not at all.
func replaceFile(path string, content []byte) error {
	temporary, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	defer os.Remove(temporary.Name())
	_, err = temporary.Write(content)
	if err := errors.Join(err, temporary.Chmod(0o644), temporary.Close()); err != nil {
		return err
	}
	return os.Rename(temporary.Name(), path)
}

func rows(table []float32, dim int) [][]float32 {
	out := make([][]float32, 0, len(table)/dim)
	for start := 0; start < len(table); start += dim {
		out = append(out, table[start:start+dim])
	}
	return out
}

func lines(labels []string) []byte {
	return []byte(strings.Join(labels, "\n") + "\n")
}
