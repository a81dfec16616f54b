package exchange

import (
	"fmt"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/internal/enum"
	"github.com/autoblm/autoblm-go/internal/torchfile"
)

// ImportOptions name a model of another library.
type ImportOptions struct {
	// File is the file of the model, or the folder that PyKEEN wrote.
	File string
	// From is the library: "pykeen" or "libkge".
	From string
	// Dataset is the folder with the labels; "" searches them where the library writes them.
	Dataset string
	// Structure is "complex" or "distmult"; "" takes what the file says.
	Structure string
}

// Import reads a ComplEx or DistMult model of another library. It executes nothing of the file. The
// scores of the model are those of the library, with numbers rounded to float32.
func Import(o ImportOptions) (*kge.Model, error) {
	switch o.From {
	case "pykeen":
		return importPyKEEN(o)
	case "libkge":
		return importLibKGE(o)
	}
	return nil, enum.Unknown("library", o.From, []string{"pykeen", "libkge"})
}

// source holds what both libraries store.
type source struct {
	entities, relations          *torchfile.Tensor
	entityLabels, relationLabels []string
	// pairs is true if the real and imaginary part of a number are side by side, and a relation and
	// its reverse too, as in PyKEEN. In LibKGE the second half has the imaginary parts, or the
	// reverses, as here.
	pairs bool
	// isReciprocal is true if relations must have reverses.
	isReciprocal bool
}

// tensor returns a matrix of floating-point numbers.
func tensor(state *torchfile.Dict, key string) (*torchfile.Tensor, error) {
	t, isTensor := state.Get(key).(*torchfile.Tensor)
	if !isTensor {
		return nil, fmt.Errorf("the model has no %s: only ComplEx and DistMult can be imported", key)
	}
	if len(t.Shape) != 2 || !t.IsFloat() {
		return nil, fmt.Errorf("%s is no matrix of floating-point numbers", key)
	}
	return t, nil
}

// model returns the model with a name.
func (s source) model(path, name string) (*kge.Model, error) {
	dim := s.entities.Shape[1]
	a, err := structureOf(name, dim)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	entities, relations := len(s.entityLabels), len(s.relationLabels)
	rows := s.relations.Shape[0]
	isReciprocal := rows == 2*relations
	if s.entities.Shape[0] != entities || !isReciprocal && (rows != relations || s.isReciprocal) {
		return nil, fmt.Errorf("%s has %d entities and %d relations, but the labels are those of %d "+
			"and %d: set dataset to the right folder", path, s.entities.Shape[0], rows, entities,
			relations)
	}
	if s.relations.Shape[1] != dim {
		return nil, fmt.Errorf("%s has relations of dimension %d, but entities of %d: only ComplEx "+
			"and DistMult can be imported", path, s.relations.Shape[1], dim)
	}
	m := &kge.Model{
		Parameters:   kge.Parameters{Structure: a, Dim: dim, Reciprocal: isReciprocal},
		EntityLabels: s.entityLabels, RelationLabels: s.relationLabels,
	}
	if m.Entities, err = s.entities.Float32(); err != nil {
		return nil, err
	}
	if m.Relations, err = s.relations.Float32(); err != nil {
		return nil, err
	}
	if s.pairs {
		if name == "complex" {
			split(m.Entities, dim, 1)
			split(m.Relations, dim, 1)
		}
		if isReciprocal {
			split(m.Relations, len(m.Relations), dim)
		}
	}
	return m, nil
}

// split moves, in each row of a length, the blocks of a size with even numbers to the first half and
// those with odd numbers to the second.
func split(numbers []float32, length, block int) {
	row := make([]float32, 0, length)
	for start := 0; start < len(numbers); start += length {
		from := numbers[start:][:length]
		row = row[:0]
		for first := 0; first < 2; first++ {
			for at := first * block; at < length; at += 2 * block {
				row = append(row, from[at:][:block]...)
			}
		}
		copy(from, row)
	}
}

// structureOf returns the structure of a model for a dimension. With four chunks it has a name, but
// a dimension may only have two or one.
func structureOf(name string, dim int) (structure.Structure, error) {
	texts := map[string][]string{
		"complex":  {"complex", "1,2;-2,1"},
		"distmult": {"distmult", "1,0;0,2", "1"},
	}[name]
	if texts == nil {
		return structure.Structure{}, fmt.Errorf("the model is %q: only ComplEx and DistMult can be "+
			"imported", name)
	}
	for _, text := range texts {
		s, err := structure.Parse(text)
		if err != nil {
			return s, err
		}
		if dim%s.K() == 0 {
			return s, nil
		}
	}
	return structure.Structure{}, fmt.Errorf("the dimension of ComplEx is %d, which is odd", dim)
}
