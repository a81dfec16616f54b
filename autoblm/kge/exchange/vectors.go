package exchange

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/autoblm/autoblm-go/internal/inputfile"
	"github.com/autoblm/autoblm-go/internal/labels"
	"github.com/autoblm/autoblm-go/internal/npy"
)

// ReadTables reads embeddings with labels: a word2vec text (.txt, .vec), a NumPy array with
// its labels in a .txt file next to it, or a safetensors file of [Export]. A table of a file that
// does not say its name is one of entities.
func ReadTables(path string) ([]Table, error) {
	content, err := inputfile.Read(path)
	if err != nil {
		return nil, err
	}
	var tables []Table
	switch extension := filepath.Ext(path); extension {
	case ".safetensors":
		tables, err = readSafetensors(content)
	case ".npy":
		tables, err = readArray(path, content)
	case ".txt", ".vec":
		tables, err = readWord2Vec(content)
		if err == nil {
			tables[0].Name = entitiesOr(path)
		}
	default:
		err = fmt.Errorf("embeddings are read from a model, .txt, .vec, .npy or .safetensors, not "+
			"from %q", extension)
	}
	if err == nil {
		err = checkFinite(tables)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return tables, nil
}

// checkFinite returns an error that names the first number which is infinite or NaN.
func checkFinite(tables []Table) error {
	for _, t := range tables {
		for i, x := range t.Numbers {
			if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
				return fmt.Errorf("number %d of %s is %g: correct it, or leave its line out",
					1+i%t.Columns, t.Labels[i/t.Columns], x)
			}
		}
	}
	return nil
}

// readArray reads a NumPy array and the labels of its rows.
func readArray(path string, content []byte) ([]Table, error) {
	list := strings.TrimSuffix(path, ".npy") + ".txt"
	text, err := inputfile.Read(list)
	if err != nil {
		return nil, fmt.Errorf("the labels of the rows: %w", err)
	}
	names, err := labels.Parse(list, text)
	if err != nil {
		return nil, err
	}
	shape, err := npy.Shape(content)
	if err != nil {
		return nil, err
	}
	if len(shape) != 2 || shape[0] != len(names) {
		return nil, fmt.Errorf("the array has shape %v, but %s has %d labels", shape, list, len(names))
	}
	numbers, err := npy.Read(content, shape...)
	if err != nil {
		return nil, err
	}
	t := Table{Name: entitiesOr(path), Labels: names, Columns: shape[1], Numbers: numbers}
	return []Table{t}, nil
}

// entitiesOr returns "relations" for a file of this name, and else "entities".
func entitiesOr(path string) string {
	if strings.HasPrefix(filepath.Base(path), "relations.") {
		return "relations"
	}
	return "entities"
}

// isSeparator reports whether a character separates the fields of word2vec. Words may have other
// white space.
func isSeparator(r rune) bool { return r == ' ' || r == '\t' || r == '\r' }

// readWord2Vec reads the text format of word2vec, and that of GloVe, which has no first line.
func readWord2Vec(content []byte) ([]Table, error) {
	t := Table{Words: true}
	lines := bufio.NewScanner(bytes.NewReader(content))
	lines.Buffer(nil, 1<<24)
	for line := 1; lines.Scan(); line++ {
		fields := strings.FieldsFunc(lines.Text(), isSeparator)
		if line == 1 && len(fields) == 2 {
			continue // the numbers of rows and columns
		}
		if t.Columns == 0 {
			t.Columns = len(fields) - 1
		}
		if len(fields) < 2 || len(fields) != 1+t.Columns {
			return nil, fmt.Errorf("line %d has %d fields, but a word and %d numbers are expected",
				line, len(fields), t.Columns)
		}
		for _, field := range fields[1:] {
			x, err := strconv.ParseFloat(field, 32)
			if err != nil {
				return nil, fmt.Errorf("line %d: %q is no number", line, field)
			}
			t.Numbers = append(t.Numbers, float32(x))
		}
		t.Labels = append(t.Labels, fields[0])
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	if len(t.Labels) == 0 {
		return nil, errors.New("the file has no embeddings")
	}
	return []Table{t}, nil
}
